/**
 * RAID10 as Linux md does it, from the arithmetic to the volume.
 *
 * <p>Read in this order: {@link Layout} (what a layout word means), {@link Geometry} (where each copy of each chunk lies).
 */
package io.tenfold.raid;
