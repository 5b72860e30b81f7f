package io.tenfold.nbd;

import io.tenfold.base.BufferPool;
import io.tenfold.base.BufferPool.Buffer;
import io.tenfold.base.ByteStream;
import io.tenfold.nbd.wire.ExportFacts;
import io.tenfold.nbd.wire.Negotiation;
import io.tenfold.nbd.wire.OptionParser;
import io.tenfold.nbd.wire.RequestHeader;
import io.tenfold.nbd.wire.RequestRules;
import io.tenfold.nbd.wire.Wire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One client, from its greeting to its end. Takes what the stream has received, starts all requests that are complete
 * in it, and sends all replies that are ready in one send.
 *
 * <p>Memory: the stream may write to {@link #input} or to {@link #partial}'s buffers while a receive is under way, and
 * reads the batch's or the answer's while a send is; none of it is given back before the stream's call, or
 * {@link #closed}. Commands in the device hold their buffers until they are completed, whatever becomes of the connection.
 */
final class Connection implements ByteStream.Handler {
    /** What is received into: enough for 64 writes of 4 KiB with one receive. */
    static final int INPUT_BYTES = 256 << 10;

    /** Requests of one client that are not answered yet; it may send more, which then wait in the socket. */
    static final int COMMANDS_MAX = 256;

    private enum Phase {
        OPTIONS,
        REQUESTS,
        CLOSING,
        CLOSED
    }

    final long number;
    private final NbdShard shard;
    private ByteStream stream;
    private String peer;
    private Phase phase = Phase.OPTIONS;
    private String closeReason;

    private final Buffer input;
    private long inputFrom;
    private long inputTo;
    private boolean receiving;

    /** Where the receive under way puts its bytes: what is wanted may change before they come. */
    private boolean receivingPayload;

    private boolean sending;

    // The handshake.
    private final OptionParser options = new OptionParser();
    private final Negotiation negotiation = new Negotiation();
    private Negotiation.Next next = Negotiation.Next.OPTIONS;
    private byte[] answer;
    private int answerSent;
    private Buffer answerBuffer;
    private final MemorySegment[] answerPart = new MemorySegment[1];
    private final long[] answerOffset = new long[1];
    private final long[] answerLength = new long[1];

    // Transmission.
    private ExportChannel target;
    private ExportFacts facts;
    private final RequestHeader header = new RequestHeader();
    private final CommandQueue done = new CommandQueue();
    private final ReplyBatch batch = new ReplyBatch();

    /** A write whose payload has not all come, or null. */
    private Command partial;

    /** A refused write whose payload is passed over, and how much of that is still to come. */
    private Command skipped;

    private long skipLeft;

    /** Commands that are not answered yet. */
    private int open;

    private long requests;

    /** A request waits for a command or for memory; resumed when something is given back. */
    private boolean blocked;

    /** No more requests are taken; closed when those that are open have been answered. */
    private boolean leaving;

    private boolean draining;

    // Owned by NbdShard.
    int place;
    long deadlineNanos;
    long reservedBytes;
    long wantedBytes;
    boolean waitsForMemory;
    boolean granted;
    boolean flushQueued;
    boolean resumeQueued;

    /** Counts what the client did; for finding those that do nothing. */
    int progress;

    int progressSeen;
    long progressSeenNanos;

    Connection(NbdShard shard, long number) {
        this.shard = shard;
        this.number = number;
        input = shard.pool().acquire(INPUT_BYTES);
    }

    /** Takes the stream and greets the client. */
    void start(ByteStream opened) {
        stream = opened;
        peer = opened.peer();
        answer = negotiation.answer();
        sendAnswer();
        arm();
    }

    String peer() {
        return peer;
    }

    long requests() {
        return requests;
    }

    String closeReason() {
        return closeReason;
    }

    boolean inHandshake() {
        return phase == Phase.OPTIONS;
    }

    /** Whether it is the client's turn: to send the rest of a payload, or to take a reply. */
    boolean waitsForClient() {
        return sending || partial != null;
    }

    // Receiving.

    @Override
    public void received(int bytes) {
        receiving = false;
        progress++;
        if (bytes == ByteStream.BROKEN) {
            abort("connection is broken");
        } else if (bytes == ByteStream.END) {
            end();
        } else if (receivingPayload) {
            partial.filledBytes += bytes;
            startIfComplete();
            proceed();
        } else {
            inputTo += bytes;
            proceed();
        }
    }

    private void end() {
        if (phase == Phase.OPTIONS) {
            abort("client has closed during the handshake");
        } else if (partial != null || skipLeft > 0) {
            abort("client has closed in the middle of a write");
        } else {
            leave("client has closed without taking leave");
        }
    }

    /** Goes on with what has been received. */
    private void proceed() {
        if (phase == Phase.OPTIONS) {
            handshake();
        }
        if (phase == Phase.REQUESTS) {
            transmission();
        }
        arm();
    }

    /** Receives more if it can be used and there is room. */
    private void arm() {
        boolean open = phase == Phase.OPTIONS || phase == Phase.REQUESTS;
        if (!open || receiving || leaving || blocked) {
            return;
        }
        if (partial != null) {
            armPayload();
            return;
        }
        compact();
        long room = input.bytes() - inputTo;
        if (room > 0) {
            receiving = true;
            receivingPayload = false;
            stream.receive(input.memory(), input.offset() + inputTo, room);
        }
    }

    private void armPayload() {
        int index = (int) (partial.filledBytes / BufferPool.BYTES_MAX);
        long within = partial.filledBytes % BufferPool.BYTES_MAX;
        long left = partial.length - partial.filledBytes;
        Buffer into = partial.buffers[index];
        receiving = true;
        receivingPayload = true;
        stream.receive(into.memory(), into.offset() + within, Math.min(left, into.bytes() - within));
    }

    /** Moves what is left over to the front; in transmission that is less than a header. */
    private void compact() {
        long left = inputTo - inputFrom;
        if (inputFrom > 0) {
            MemorySegment memory = input.memory();
            MemorySegment.copy(memory, input.offset() + inputFrom, memory, input.offset(), left);
            inputFrom = 0;
            inputTo = left;
        }
    }

    // The handshake.

    /** Takes options one by one, each only when the one before has been answered. */
    private void handshake() {
        while (phase == Phase.OPTIONS && !sending) {
            long at = input.offset();
            OptionParser.Event event = options.next(input.memory(), at + inputFrom, at + inputTo);
            inputFrom += options.used();
            switch (event) {
                case INCOMPLETE -> {
                    return;
                }
                case FLAGS -> negotiation.clientFlags(options.noZeroes());
                case OPTION ->
                    answer(negotiation.option(
                            options.option(),
                            input.memory(),
                            options.dataOffset(),
                            options.dataBytes(),
                            shard.offers()));
                case TOO_BIG -> answer(negotiation.tooBig(options.option()));
                case BROKEN -> abort(options.problem());
            }
        }
    }

    private void answer(Negotiation.Next then) {
        next = then;
        if (then == Negotiation.Next.TRANSMISSION && !openTarget()) {
            return;
        }
        answer = negotiation.answer();
        answerSent = 0;
        if (answer.length > 0) {
            sendAnswer();
        } else {
            followAnswer();
        }
    }

    /** Opens the device before the client is told that it has it. */
    private boolean openTarget() {
        try {
            target = shard.target(negotiation.chosen());
            facts = target.offer.facts();
            return true;
        } catch (RuntimeException e) {
            abort("cannot open the export: name=\"" + negotiation.chosen().name() + "\", reason=" + e.getMessage());
            return false;
        }
    }

    private void sendAnswer() {
        int bytes = Math.min(answer.length - answerSent, INPUT_BYTES);
        answerBuffer = shard.pool().acquire(bytes);
        MemorySegment.copy(
                answer, answerSent, answerBuffer.memory(), ValueLayout.JAVA_BYTE, answerBuffer.offset(), bytes);
        answerSent += bytes;
        answerPart[0] = answerBuffer.memory();
        answerOffset[0] = answerBuffer.offset();
        answerLength[0] = bytes;
        sending = true;
        stream.send(answerPart, answerOffset, answerLength, 1);
    }

    /** The answer is out. */
    private void followAnswer() {
        switch (next) {
            case OPTIONS -> {}
            case CLOSE -> abort(negotiation.reason());
            case TRANSMISSION -> {
                phase = Phase.REQUESTS;
                shard.attached(this, target.offer.name());
            }
        }
    }

    // Transmission.

    /** Starts all requests that are complete in the input. */
    private void transmission() {
        boolean moved = true;
        while (moved && phase == Phase.REQUESTS && !leaving && !blocked) {
            if (partial != null) {
                moved = fill();
            } else if (skipLeft > 0) {
                moved = skip();
            } else {
                moved = inputTo - inputFrom >= Wire.REQUEST_BYTES && request();
            }
        }
    }

    private boolean skip() {
        long now = Math.min(skipLeft, inputTo - inputFrom);
        inputFrom += now;
        skipLeft -= now;
        if (skipLeft == 0) {
            Command command = skipped;
            skipped = null;
            reply(command);
        }
        return now > 0;
    }

    /** Takes the next request; false if nothing after it can be looked at now. */
    private boolean request() {
        if (!header.read(input.memory(), input.offset() + inputFrom)) {
            abort("wrong magic of a request");
            return false;
        }
        int type = header.type();
        if (type == Wire.CMD_DISC) {
            leave("client has taken leave");
            return false;
        }
        if (type == Wire.CMD_WRITE && header.length() > Wire.PAYLOAD_BYTES_MAX) {
            abort("write is longer than " + Wire.PAYLOAD_BYTES_MAX + " bytes: " + header);
            return false;
        }
        int error = errorOf(header);
        boolean carriedOut = error == Wire.OK && (header.length() > 0 || type == Wire.CMD_FLUSH);
        boolean data = type == Wire.CMD_READ || type == Wire.CMD_WRITE;
        long memory = carriedOut && data ? target.memoryFor(header.length()) : 0;
        if (open == COMMANDS_MAX || !shard.reserve(this, memory)) {
            blocked = true;
            return false;
        }
        inputFrom += Wire.REQUEST_BYTES;
        open++;
        requests++;
        Command command = shard.takeCommand();
        command.start(this, header, error);
        command.reservedBytes = memory;
        if (!carriedOut) {
            refuse(command);
            return true;
        }
        if (data) {
            target.acquireBuffers(command);
        }
        if (type == Wire.CMD_WRITE) {
            partial = command;
        } else {
            target.start(command);
        }
        return true;
    }

    private int errorOf(RequestHeader request) {
        if (draining) {
            return Wire.ESHUTDOWN;
        }
        int error = RequestRules.check(request, facts);
        boolean slow = error == Wire.OK
                && request.has(Wire.FLAG_FAST_ZERO)
                && !target.zeroesFast(request.has(Wire.FLAG_NO_HOLE));
        return slow ? Wire.ENOTSUP : error;
    }

    /** Answers what is not carried out, once its payload has passed. */
    private void refuse(Command command) {
        if (command.type == Wire.CMD_WRITE && command.length > 0) {
            skipped = command;
            skipLeft = command.length;
        } else {
            reply(command);
        }
    }

    /**
     * Takes what has come of the payload out of the input; the rest is received where it belongs.
     *
     * @return whether the payload is complete
     */
    private boolean fill() {
        long now = Math.min(partial.length - partial.filledBytes, inputTo - inputFrom);
        while (now > 0) {
            Buffer into = partial.buffers[(int) (partial.filledBytes / BufferPool.BYTES_MAX)];
            long within = partial.filledBytes % BufferPool.BYTES_MAX;
            long here = Math.min(now, BufferPool.BYTES_MAX - within);
            MemorySegment.copy(input.memory(), input.offset() + inputFrom, into.memory(), into.offset() + within, here);
            partial.filledBytes += here;
            inputFrom += here;
            now -= here;
        }
        return startIfComplete();
    }

    private boolean startIfComplete() {
        boolean complete = partial.filledBytes == partial.length;
        if (complete) {
            Command command = partial;
            partial = null;
            target.start(command);
        }
        return complete;
    }

    // Replies.

    /** From the device: the command has ended. */
    void completed(Command command) {
        if (phase == Phase.CLOSING || phase == Phase.CLOSED) {
            replied(command); // Nobody will hear of it.
            return;
        }
        if (command.replyDataBytes() == 0) {
            shard.releaseBuffers(command);
        }
        reply(command);
    }

    private void reply(Command command) {
        done.add(command);
        shard.flushSoon(this);
    }

    /** Sends the replies that are ready, unless a send is under way, which will be followed by this. */
    void flush() {
        if (!sending && phase == Phase.REQUESTS && (batch.hasRest() || !done.isEmpty())) {
            batch.build(done, shard.pool());
            sending = true;
            stream.send(batch.parts, batch.offsets, batch.lengths, batch.count);
        }
    }

    /** The command's reply is out, or at least copied. */
    void replied(Command command) {
        shard.release(command);
        open--;
        if (blocked && !waitsForMemory) {
            shard.resumeSoon(this);
        }
    }

    @Override
    public void sent(boolean ok) {
        sending = false;
        progress++;
        if (!ok) {
            abort("connection is broken");
        } else if (answerBuffer != null) {
            releaseAnswer();
            if (answerSent < answer.length) {
                sendAnswer();
            } else {
                followAnswer();
                proceed();
            }
        } else {
            batch.sent(shard.pool());
            shard.flushSoon(this);
            closeIfFinished();
        }
    }

    private void releaseAnswer() {
        if (answerBuffer != null) {
            shard.pool().release(answerBuffer);
            answerBuffer = null;
        }
    }

    /** What blocked may be gone. */
    void resume() {
        if (blocked) {
            blocked = false;
            proceed();
        }
    }

    // The end.

    /** Takes no more requests, answers those that are open, then closes. */
    private void leave(String reason) {
        leaving = true;
        closeReason = reason;
        closeIfFinished();
    }

    /** The server shuts down: new requests are refused, those that are open answered, then it closes. */
    void drain() {
        draining = true;
        if (phase == Phase.OPTIONS) {
            abort("server shuts down");
        } else {
            closeIfFinished();
        }
    }

    private void closeIfFinished() {
        if (phase == Phase.REQUESTS && (leaving || draining) && open == 0 && !sending) {
            abort(leaving ? closeReason : "server shuts down");
        }
    }

    /** Closes at once. Commands in the device end by themselves. */
    void abort(String reason) {
        if (phase == Phase.OPTIONS || phase == Phase.REQUESTS) {
            phase = Phase.CLOSING;
            closeReason = reason;
            shard.closing(this);
            stream.close();
        }
    }

    @Override
    public void closed() {
        phase = Phase.CLOSED;
        releaseAnswer();
        batch.drop(shard.pool());
        for (Command c = done.poll(); c != null; c = done.poll()) {
            replied(c);
        }
        if (partial != null) {
            replied(partial);
            partial = null;
        }
        if (skipped != null) {
            replied(skipped);
            skipped = null;
        }
        shard.pool().release(input);
        shard.closed(this);
    }
}
