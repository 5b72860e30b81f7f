/**
 * RAID10 as Linux md does it, from the arithmetic to the volume.
 *
 * <p>Read in this order: {@link Layout} (what a layout word means), {@link Geometry} (where each copy of each chunk lies);
 * then {@link Examination} (what devices are and add up to), {@link MemberReport}, {@link ArrayReport},
 * {@link ArrayPlan} (an array as it is to be run) and {@link Refusal} (why not).
 *
 * <p>The volume: {@link RaidDevice} (an array as a block device), {@code RaidChannel} (the life of a request),
 * {@code PieceCursor} and {@code Piece} (how it is cut), {@code WriteGate} (writes and clean superblocks exclude one
 * another), {@code WriteRanges} (overlapping writes do), {@link Conductor} (who writes superblocks), {@code Roster} and
 * {@code FailureReports} (who counts), {@link SyncKind} (what makes copies agree, and fills members), {@link ArrayState}.
 *
 * <p>The I/O barrier, which the volume does not use yet: {@link IoBarrier} (I/O's side), {@link WindowRaiser} (resync's side, and
 * whose turn it is), {@code WindowedBarrier} (the default; the others stand beside it), {@link EntryWaiters}.
 */
package io.tenfold.raid;
