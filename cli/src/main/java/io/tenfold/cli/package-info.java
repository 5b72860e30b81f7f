/**
 * The program: what a person types, what he is told, and the threads that do it.
 *
 * <p>Read in this order: {@link io.tenfold.cli.Main} (from arguments to exit code), {@link io.tenfold.cli.CommandFailure}
 * (how a command says what went wrong), {@link io.tenfold.cli.Console} (where it says it).
 *
 * <p>Nothing here moves data by itself: commands put devices, arrays and servers together and run their threads.
 */
package io.tenfold.cli;
