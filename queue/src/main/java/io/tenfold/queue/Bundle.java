package io.tenfold.queue;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;

/**
 * What a channel sends to the device as a unit: one request, in one or several pieces, or several adjacent requests in one
 * piece. A pooled object. Threads: its channel's.
 */
final class Bundle {
    final QueueChannel channel;

    /** Whose it is, by rising offset. */
    final RequestList owners = new RequestList();

    Op op;
    boolean fua;
    long offset;
    long length;
    int segments;

    /** How many pieces are still to be made. */
    long unmade;

    /** Whether it is one request in several pieces. */
    boolean isCut;

    /** How many of its bytes are in pieces already. */
    long made;

    /** How many pieces have been made and are not back. */
    int away;

    /** How it ends: the first failure, or OK. */
    IoStatus status;

    /** In a {@link BundleList}. */
    Bundle next;

    Bundle(QueueChannel channel) {
        this.channel = channel;
    }

    /**
     * Makes this the bundle of one request.
     *
     * @param pieces how many it needs; 0 for a flush
     */
    void start(Request request, long pieces) {
        op = request.op();
        fua = request.fua();
        offset = request.offset();
        length = request.length();
        segments = request.segments();
        unmade = pieces;
        isCut = pieces > 1;
        made = 0;
        status = IoStatus.OK;
        owners.add(request);
    }

    /** Takes another request behind the last. */
    void append(Request request) {
        length += request.length();
        segments += request.segments();
        owners.add(request);
    }

    /** Makes the next piece, {@code bytes} long. */
    void fill(Request lower, long bytes, boolean withFua) {
        lower.start(op, offset + made, bytes, withFua);
        if (op.carriesData()) {
            if (owners.size() == 1) {
                lower.addPartOf(owners.peek(), made, bytes);
            } else {
                for (int left = owners.size(); left > 0; left--) {
                    Request owner = owners.poll();
                    lower.addPartOf(owner, 0, owner.length());
                    owners.add(owner);
                }
            }
        }
        made += bytes;
        unmade--;
        away++;
    }

    /** A piece or the flush after it has ended. */
    void ended(IoStatus how) {
        if (status == IoStatus.OK) {
            status = how;
        }
    }

    @Override
    public String toString() {
        return op + " offset=" + offset + " length=" + length + " owners=" + owners.size() + " unmade=" + unmade
                + " away=" + away;
    }
}
