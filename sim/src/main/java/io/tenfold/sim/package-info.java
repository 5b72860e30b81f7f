/**
 * A machine that lives in one thread and in virtual time, so that one seed gives one run, faults and power loss included.
 *
 * <p>Read in this order: {@link SimWorld} (time, events, who runs next), {@link SimDisk} (a disk with a volatile cache),
 * {@link SimMedium} (what survives), {@link SimDiskModel} (how the disk behaves); {@link SimHdd} (a disk that is as slow as a
 * spinning one) and {@link SimHddModel} (which one), {@link SimFlash} and {@link SimFlashModel} (the same of flash). By
 * themselves stand {@link NumaMachine} (what sharing cache lines costs) and {@link NumaModel}.
 *
 * <p>It knows the contract of block devices and nothing of what is simulated on top. Everything here belongs to the
 * thread that runs the world.
 */
package io.tenfold.sim;
