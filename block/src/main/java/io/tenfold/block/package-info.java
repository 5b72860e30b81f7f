/**
 * The contract of block devices, and the devices that need nothing else: null, memory, slice, file.
 *
 * <p>Read in this order: {@link BlockDevice} (what it is and how large), {@link Channel} (one thread's way to it),
 * {@link Request} (one piece of work), {@link DeviceLimits}, {@link IoStatus}; then {@link MemoryDevice} as the plainest
 * device and {@link BlockingIo} as the plainest user.
 *
 * <p>{@link FaultDevice} stands on another device and makes it fail on demand.
 *
 * <p>Data passes through devices in a chain; nothing here starts a thread or reads a clock.
 */
package io.tenfold.block;
