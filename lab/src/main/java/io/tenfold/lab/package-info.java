/**
 * The experiments: each runs one load on several designs of one mechanism, the ones that were replaced among them, and says
 * whether the figures that were promised are reached.
 *
 * <p>Read in this order: {@link Experiment} (what comes out), {@link SplitExperiment} (large requests on a simulated disk),
 * {@link ReadsExperiment} (reads of simulated arrays), {@link TagsExperiment} (tag allocators under real threads),
 * {@link BarrierExperiment} (the I/O barrier) with {@code BarrierPrediction} (on a machine that is not here),
 * {@link BarChart} (a drawing of it).
 *
 * <p>Nothing here is a mechanism. Threads and processes are started where an experiment needs them.
 */
package io.tenfold.lab;
