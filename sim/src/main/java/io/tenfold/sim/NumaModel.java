package io.tenfold.sim;

/**
 * What it costs in a machine of several nodes to use memory that other cores use as well. All times are nanoseconds.
 *
 * @param nodes how many, above 0
 * @param coresPerNode of each, above 0; 64 cores in all at most
 * @param loadNanos a load from a line that the core's cache has
 * @param atomicNanos an atomic change, or a store that must be seen, to a line that this core's cache alone has
 * @param nodeTransferNanos until a line is there that a core of the same node has changed
 * @param crossTransferNanos until a line is there that a core of another node has changed
 * @param handOverNanos what a lock that somebody waits for costs, from one holder to the next, besides the lines that move
 */
public record NumaModel(
        int nodes,
        int coresPerNode,
        long loadNanos,
        long atomicNanos,
        long nodeTransferNanos,
        long crossTransferNanos,
        long handOverNanos) {
    /** How many cores the machine may have. */
    public static final int CORES_MAX = Long.SIZE;

    public NumaModel {
        if (nodes < 1 || coresPerNode < 1 || nodes * coresPerNode > CORES_MAX) {
            throw new IllegalArgumentException(
                    "cores must be 1 to " + CORES_MAX + ": nodes=" + nodes + ", coresPerNode=" + coresPerNode);
        }
        if (Math.min(loadNanos, handOverNanos) < 0
                || atomicNanos < loadNanos
                || nodeTransferNanos < atomicNanos
                || crossTransferNanos < nodeTransferNanos) {
            throw new IllegalArgumentException(
                    "times must not be negative, and rise from load to far transfer: loadNanos="
                            + loadNanos + ", atomicNanos=" + atomicNanos + ", nodeTransferNanos=" + nodeTransferNanos
                            + ", crossTransferNanos=" + crossTransferNanos + ", handOverNanos=" + handOverNanos);
        }
    }

    /**
     * A server of four nodes with 64 cores, after a HiSilicon Kunpeng 920 of 2019. Between cores of one socket of that
     * processor the median is 72 ns (measured for the repository nviennot/core-to-core-latency, which has 2.1 to 3.6 times as
     * much between sockets of other makers; 2.5 is taken here). Its first cache answers in 4 cycles of 2.6 GHz; 5 ns for
     * an atomic change in the own cache is assumed, as on many processors. The hand-over is for who uses this to say.
     */
    public static NumaModel fourNodes() {
        return new NumaModel(4, 16, 2, 5, 72, 180, 0);
    }

    /** The same machine with other costs of a lock that somebody waits for. */
    public NumaModel withHandOverNanos(long nanos) {
        return new NumaModel(nodes, coresPerNode, loadNanos, atomicNanos, nodeTransferNanos, crossTransferNanos, nanos);
    }

    /** The same machine with transfers that take another time. */
    public NumaModel withTransfers(long withinNode, long acrossNodes) {
        return new NumaModel(nodes, coresPerNode, loadNanos, atomicNanos, withinNode, acrossNodes, handOverNanos);
    }

    /** How many cores there are. */
    public int cores() {
        return nodes * coresPerNode;
    }

    /** The node of a core: the first cores lie on one node each, and so on, as an operating system spreads threads. */
    int node(int core) {
        return core % nodes;
    }

    long transferNanos(int from, int to) {
        return node(from) == node(to) ? nodeTransferNanos : crossTransferNanos;
    }
}
