/**
 * RAID10 as Linux md does it, from the arithmetic to the volume.
 *
 * <p>Read in this order: {@link Layout} (what a layout word means), {@link Geometry} (where each copy of each chunk lies);
 * then {@link Examination} (what devices are and add up to), {@link MemberReport}, {@link ArrayReport},
 * {@link ArrayPlan} (an array as it is to be run) and {@link Refusal} (why not).
 */
package io.tenfold.raid;
