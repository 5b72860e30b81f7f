/**
 * The bytes that Linux md keeps on a member, read with every check and written as mdadm and the kernel write them.
 *
 * <p>Read in this order: {@link MdSuperblock} (what any superblock says), {@link Superblock1} with its checks,
 * {@link Superblock090}, {@link SuperblockProbe} (where they are looked for); beside them {@link BitmapSuperblock} and
 * {@link BadBlockLog}; then what else may lie on a device: {@link PartitionTable}, {@link Signatures}.
 *
 * <p>A reader never trusts a number before it was checked. Nothing here decides what an array is: that is the package
 * above. Values are immutable.
 */
package io.tenfold.raid.md;
