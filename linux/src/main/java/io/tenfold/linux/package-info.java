/**
 * What Linux offers beyond the JDK: io_uring, files and block devices without the page cache, CPUs. The only native code.
 *
 * <p>Read in this order: {@link RingReactor} (an event loop on io_uring), {@link RingStream} (one connection of it),
 * {@link LinuxFile} (a file or block device) with {@link RingFileChannel} and {@link PreadChannel} (its two ways), then
 * what is below: {@link Uring} (the two rings shared with the kernel), {@link RingOp} (one operation and its answer),
 * {@link IoVector} (pieces of memory as the kernel takes them), {@link NativeCalls} (how a C function is bound).
 * {@link Cpus} stands by itself.
 *
 * <p>Structures of the kernel are {@code …Layout} classes, its calls {@code …Calls} classes, which do what the kernel
 * does and nothing else. Addresses are plain {@code long}s, read and written through {@link RawMemory}.
 */
package io.tenfold.linux;
