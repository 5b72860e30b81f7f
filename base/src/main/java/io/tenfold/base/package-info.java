/**
 * The seams on which everything else stands, so that one stack runs on real threads and in a simulator.
 *
 * <p>Read in this order: {@link Clock}, {@link Shard} (one event loop: its number, its clock, how it waits and is
 * woken), {@link Reactor} (a shard that also serves byte streams), {@link ByteStream}, {@link NioReactor} (the reactor
 * that needs nothing but the JDK), {@link StripedCounter} (a count that every shard adds to and nobody shares),
 * {@link Prng}.
 *
 * <p>Nothing here knows what a block is.
 */
package io.tenfold.base;
