/**
 * The NBD protocol as bytes: what comes in becomes events, what goes out becomes bytes. No sockets, no devices, no time.
 *
 * <p>Read in this order: {@link Wire} (the numbers), {@link ExportFacts} (what an export says of itself),
 * {@link OptionParser} and {@link Negotiation} (the handshake), {@link RequestHeader} and {@link RequestRules}
 * (transmission), {@link SimpleReply}.
 *
 * <p>All integers on the wire are unsigned and big-endian.
 *
 * @see <a href="https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md">the protocol</a>
 */
package io.tenfold.nbd.wire;
