/**
 * Serves block devices over NBD.
 *
 * <p>Read in this order: {@link NbdServer} (what is exported, and by whom), {@link NbdShard} (its part on one event loop),
 * {@link Connection} (one client, from its greeting to its end), {@link Command} (one request), {@link ExportChannel} (how
 * commands become device requests), {@link ReplyBatch} (how replies become sends); the protocol itself is in
 * {@code io.tenfold.nbd.wire}.
 *
 * <p>Threads: a shard and all that belongs to it live on one; only {@link NbdServer} is shared.
 */
package io.tenfold.nbd;
