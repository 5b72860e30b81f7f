package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.raid.md.BadBlockLog;
import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.Superblock1;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps the members' bad-block logs for the conductor, who does the I/O: from the reports to what each log is to say
 * ({@link #take}), there by steps ({@link #toFlush}, {@link #toWrite}), and then to what channels ask ({@link #publish}).
 *
 * <p>A range is taken out of a log only after the member was flushed: the write that made it good must not be lost when the
 * log does not name it any more. A log without entries is not written; the superblock's feature bit says that it is not to
 * be looked at.
 *
 * <p>Threads: the conductor's.
 */
class BadBlockKeeper {
    private final Log[] logs;

    /** One member's. */
    private static final class Log {
        final Member member;

        /** Null: it has none. */
        final BadBlockSlots slots;

        /** What the log is to say; what is bad besides, as there is no room for it. */
        BadRanges wanted;

        BadRanges unwritten = BadRanges.NONE;

        /** Something became good: the member is to be flushed before that is written. */
        boolean flushDue;

        /** What the superblock says. */
        boolean inUse;

        Log(Member member) {
            this.member = member;
            MdSuperblock superblock = member.superblock().raw();
            slots = member.hasLog()
                    ? new BadBlockSlots(
                            superblock.badBlockLogSize() * SECTOR / BadBlockLog.ENTRY,
                            superblock.badBlockShift(),
                            member.loggedRanges())
                    : null;
            wanted = member.badRanges();
            inUse = superblock.badBlockLogInUse();
        }

        boolean isToBeUsed() {
            return wanted.count() > 0;
        }

        /** The unit of its entries, in bytes. */
        long unit() {
            return (long) SECTOR << member.superblock().raw().badBlockShift();
        }
    }

    BadBlockKeeper(Member[] members) {
        logs = Arrays.stream(members).map(Log::new).toArray(Log[]::new);
    }

    /**
     * Takes what was reported about ranges.
     *
     * @return those whose log cannot take it, and where
     */
    List<MemberFailure> take(FailureReports reports) {
        List<MemberFailure> failures = new ArrayList<>();
        for (RangeReport report = reports.takeRange(); report != null; report = reports.takeRange()) {
            Log log = logs[report.member().index()];
            if (report.bad()) {
                add(log, report, failures);
            } else {
                remove(log, report);
            }
        }
        return failures;
    }

    private static void add(Log log, RangeReport report, List<MemberFailure> failures) {
        BadRanges next = log.wanted.with(
                report.start() / log.unit() * log.unit(), (report.end() + log.unit() - 1) / log.unit() * log.unit());
        if (log.slots.hasRoomFor(next)) {
            log.wanted = next;
        } else {
            log.unwritten = log.unwritten.with(report.start(), report.end());
            log.member.logOverflowed();
            failures.add(new MemberFailure(
                    log.member, Op.WRITE, report.start(), report.end() - report.start(), IoStatus.MEDIUM_ERROR));
        }
    }

    private static void remove(Log log, RangeReport report) {
        log.unwritten = log.unwritten.without(report.start(), report.end());
        long start = (report.start() + log.unit() - 1) / log.unit() * log.unit();
        long end = report.end() / log.unit() * log.unit();
        BadRanges next = start < end ? log.wanted.without(start, end) : log.wanted;
        // Without room to say it the range stays bad, which is always right.
        if (!next.equals(log.wanted) && (next.count() == 0 || (log.slots != null && log.slots.hasRoomFor(next)))) {
            log.wanted = next;
            log.flushDue = true;
        }
    }

    /** Members that are to be flushed before their logs are written. Each is named once. */
    List<Member> toFlush(Roster roster) {
        List<Member> due = new ArrayList<>();
        for (Log log : logs) {
            if (log.flushDue && roster.contains(log.member)) {
                due.add(log.member);
            }
            log.flushDue = false;
        }
        return due;
    }

    /** Members whose logs are to be written now, with {@link #bytes}. To be asked again when that is stable. */
    List<Member> toWrite(Roster roster) {
        List<Member> due = new ArrayList<>();
        for (Log log : logs) {
            if (log.isToBeUsed() && log.slots != null && roster.contains(log.member) && log.slots.step(log.wanted)) {
                due.add(log.member);
            }
        }
        return due;
    }

    /** Where a member's log lies, from the member's first byte. */
    static long placeOf(Member member) {
        MdSuperblock superblock = member.superblock().raw();
        return superblock.placeBytes() + superblock.badBlockLogOffset() * SECTOR;
    }

    /** What is to be written there. */
    byte[] bytes(Member member) {
        return logs[member.index()].slots.bytes();
    }

    /** Whether a superblock does not say yet whether its log is in use. */
    boolean isAnySuperblockDue(Roster roster) {
        for (Log log : logs) {
            if (log.isToBeUsed() != log.inUse && roster.contains(log.member)) {
                return true;
            }
        }
        return false;
    }

    /** The feature bits of a member, given the others. */
    int features(Member member, int others) {
        return logs[member.index()].isToBeUsed()
                ? others | Superblock1.FEATURE_BAD_BLOCKS
                : others & ~Superblock1.FEATURE_BAD_BLOCKS;
    }

    /** All superblocks say so, stably. */
    void superblocksWritten() {
        for (Log log : logs) {
            log.inUse = log.isToBeUsed();
            if (!log.inUse && log.slots != null) {
                log.slots.clear();
            }
        }
    }

    /** All is written as far as it can be: channels may rely on it. */
    void publish() {
        for (Log log : logs) {
            BadRanges all = log.wanted;
            for (int i = 0; i < log.unwritten.count(); i++) {
                all = all.with(log.unwritten.start(i), log.unwritten.end(i));
            }
            if (!all.equals(log.member.badRanges())) {
                log.member.publish(all);
            }
        }
    }
}
