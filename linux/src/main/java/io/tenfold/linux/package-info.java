/**
 * What Linux offers beyond the JDK: io_uring, files and block devices without the page cache, CPUs. The only native code.
 *
 * <p>Read in this order: {@link NativeCalls} (how a C function is bound), {@link Uring} (the two rings shared with the
 * kernel), {@link IoVector} (pieces of memory as the kernel takes them).
 *
 * <p>Structures of the kernel are {@code …Layout} classes, its calls {@code …Calls} classes, which do what the kernel
 * does and nothing else. Addresses are plain {@code long}s, read and written through {@link RawMemory}.
 */
package io.tenfold.linux;
