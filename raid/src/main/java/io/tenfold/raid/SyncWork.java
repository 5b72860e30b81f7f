package io.tenfold.raid;

import io.tenfold.base.Shard;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Decides which pass over an array is due, runs it, and says what superblocks may say of it. Members are filled first, then
 * copies compared; one pass at a time.
 *
 * <p>The conductor asks for the roster that is due ({@link #nextRoster}), and whether a checkpoint is ({@link
 * #isCheckpointDue}). Then what counts is what was done before the members were flushed: {@link #beforeFlush}, the flush,
 * {@link #afterFlush}, the superblocks, {@link #written}.
 *
 * <p>Threads: the conductor's; {@link #progress} and {@link #request} any.
 */
final class SyncWork {
    /** Between checkpoints lies at most this part of a pass, as in the kernel. */
    private static final int CHECKPOINTS = 16;

    private final RaidDevice device;
    private final Shard shard;
    private final SyncListener listener;
    private final SyncSpeed speed;

    private SyncPass pass;

    /** Of the pass: done when the flush under way began; done, stable, and said so. */
    private long captured;

    private boolean capturedAll;
    private long saved;

    /** Members, by index, that could not be filled; whether comparing was given up. */
    private final BitSet unfillable = new BitSet();

    private boolean incomparable;
    private boolean stopping;

    private volatile SyncKind requested;
    private volatile SyncProgress shown;

    SyncWork(RaidDevice device, Shard shard, SyncListener listener) {
        this.device = device;
        this.shard = shard;
        this.listener = listener;
        speed = new SyncSpeed(shard.clock().nanos(), device.count(Stripe.REQUESTS));
    }

    /** Asks for a check or a repair, once nothing else is due. */
    void request(SyncKind kind) {
        if (kind.fills() || kind == SyncKind.RESYNC) {
            throw new IllegalArgumentException("begins by itself when it is due: kind=" + kind);
        }
        requested = kind;
    }

    /** How far the pass under way has come. */
    Optional<SyncProgress> progress() {
        return Optional.ofNullable(shown);
    }

    /** Moves on; how much. */
    int work() {
        if (pass == null && !begin()) {
            return 0;
        }
        if (device.refusal() != null || (pass.kind().fills() && !device.roster().contains(pass.target()))) {
            pass.cancel();
        }
        int moved = pass.work(isBusy());
        if (moved > 0) {
            show();
        }
        boolean over = pass.isCancelled() || (pass.isComplete() && pass.kind() == SyncKind.CHECK);
        if (over && !stopping && pass.isQuiet()) {
            end(pass.isCancelled() ? SyncListener.Outcome.GIVEN_UP : SyncListener.Outcome.DONE);
            moved++;
        }
        return moved;
    }

    private boolean isBusy() {
        return speed.isBusy(shard.clock().nanos(), device.count(Stripe.REQUESTS));
    }

    private boolean begin() {
        if (stopping || device.refusal() != null) {
            return false;
        }
        Roster roster = device.roster();
        for (Member member : roster.members()) {
            if (member.role() != Member.NO_ROLE && !member.isInSync() && !unfillable.get(member.index())) {
                SyncKind kind = member.isReplacement() ? SyncKind.REPLACEMENT : SyncKind.RECOVERY;
                return begin(kind, member, member.validBytes());
            }
        }
        if (!device.doCopiesAgree() && !device.doCopiesDiffer() && !incomparable) {
            return begin(SyncKind.RESYNC, null, device.copiesAgreeBelow());
        }
        SyncKind kind = requested;
        if (kind == null) {
            return false;
        }
        requested = null;
        return begin(kind, null, 0);
    }

    private boolean begin(SyncKind kind, Member target, long from) {
        pass = new SyncPass(device, shard, kind, target, from, speed);
        saved = from;
        show();
        listener.started(shown);
        return true;
    }

    private void show() {
        SyncProgress before = shown;
        long done = pass.doneBytes();
        if (before == null || before.doneBytes() != done) {
            shown = pass.progress(done);
        }
    }

    private void end(SyncListener.Outcome outcome) {
        SyncPass over = pass;
        pass = null;
        shown = null;
        over.close();
        if (outcome == SyncListener.Outcome.GIVEN_UP) {
            if (over.kind().fills()) {
                unfillable.set(over.target().index());
            } else {
                incomparable = true;
            }
        }
        List<String> causes = new ArrayList<>(over.causes());
        if (over.kind().fills() && !device.roster().contains(over.target())) {
            causes.add("member failed: " + over.target());
        }
        listener.ended(over.progress(over.doneBytes()), outcome, causes);
    }

    /** How long there is nothing to do unless somebody wakes the shard. */
    long parkNanos() {
        if (pass == null) {
            return Long.MAX_VALUE;
        }
        boolean busy = isBusy();
        long nanos = pass.parkNanos(busy);
        // Nobody says when users go away.
        return busy && nanos != Long.MAX_VALUE ? Math.min(nanos, SyncSpeed.BUSY_NANOS) : nanos;
    }

    /** No pass begins any more, and the one under way ends soon. */
    void stop() {
        stopping = true;
        if (pass != null && !pass.isComplete()) {
            pass.cancel();
        }
    }

    /** Whether no range is in hand. */
    boolean isQuiet() {
        return pass == null || pass.isQuiet();
    }

    /** After {@link #stop}, when all is written that can be: the pass, if there is one, is over. */
    void stopped() {
        if (pass != null) {
            SyncProgress last = pass.progress(saved);
            end(SyncListener.Outcome.STOPPED);
            shown = last;
        }
    }

    /**
     * The roster that is due: with a replacement in its place, or a spare that steps in for a missing role; or null.
     * Superblocks are to say so at once.
     */
    Roster nextRoster() {
        Roster now = device.roster();
        for (int role = 0; role < device.plan().roles(); role++) {
            Member active = now.active(role);
            Member replacement = now.replacement(role);
            if (replacement != null && active == null) {
                return now.with(replacement.as(role, false, replacement.validBytes()));
            }
            if (replacement != null && replacement.isInSync()) {
                return now.succeeded(active, replacement.as(role, false, ArrayPlan.IN_SYNC));
            }
            if (active == null && !stopping) {
                for (Member spare : now.members()) {
                    if (spare.role() == Member.NO_ROLE && spare.canServe()) {
                        return now.with(spare.as(role, false, 0));
                    }
                }
            }
        }
        return null;
    }

    /**
     * Whether superblocks should say how far the pass has come.
     *
     * @param idle they say that no write is under way: otherwise they cannot say how far copies agree
     */
    boolean isCheckpointDue(boolean idle) {
        if (pass == null || pass.kind() == SyncKind.CHECK) {
            return false;
        }
        if (!pass.kind().fills()) {
            for (Member member : pass.unwritten()) {
                if (device.roster().contains(member)) {
                    device.copiesMayDiffer(); // It is needed, so it stays, with a copy that differs.
                }
            }
            if (device.doCopiesDiffer()) {
                pass.cancel();
                return false;
            }
        }
        if (pass.isComplete()) {
            return true;
        }
        if (pass.kind() == SyncKind.REPAIR || !(pass.kind().fills() || idle)) {
            return false;
        }
        long due = stopping ? 1 : Math.max(1, pass.totalBytes() / CHECKPOINTS);
        return pass.doneBytes() - saved >= due
                && !(pass.kind().fills() && !device.roster().contains(pass.target()));
    }

    /** The members are about to be flushed: what is done now counts afterwards. */
    void beforeFlush() {
        capturedAll = pass != null && pass.isComplete();
        captured = pass == null ? 0 : pass.doneBytes();
    }

    /** The members were flushed: what was done before is stable, and may be said. */
    void afterFlush() {
        if (pass == null) {
            return;
        }
        switch (pass.kind()) {
            case RESYNC -> {
                if (!device.doCopiesDiffer()) {
                    device.copiesAgreeBelow(capturedAll ? Long.MAX_VALUE : captured);
                }
            }
            case RECOVERY, REPLACEMENT -> {
                Roster now = device.roster();
                if (now.contains(pass.target())) {
                    Member target = now.member(pass.target().index());
                    long valid = capturedAll ? ArrayPlan.IN_SYNC : Math.max(target.validBytes(), captured);
                    device.publish(now.with(target.as(target.role(), target.isReplacement(), valid)));
                }
            }
            case CHECK, REPAIR -> {}
        }
    }

    /** The superblocks say what was true after the flush. */
    void written() {
        if (pass == null) {
            return;
        }
        saved = Math.max(saved, captured);
        if (capturedAll) {
            end(SyncListener.Outcome.DONE);
        }
        capturedAll = false;
        captured = 0;
    }

    /** A member that is needed cannot be flushed: nothing that the pass did can be relied on. */
    void unstable() {
        capturedAll = false;
        captured = 0;
        if (pass != null) {
            pass.cancel();
        }
    }
}
