package io.tenfold.cli;

import io.tenfold.raid.SyncKind;
import io.tenfold.raid.SyncListener;
import io.tenfold.raid.SyncProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What users are told of passes over an array, line by line. */
final class SyncText {
    private SyncText() {}

    /** What a pass is about to do. */
    static String started(SyncProgress pass) {
        String from = pass.fromBytes() == 0 ? "" : ", from byte " + pass.fromBytes() + " on";
        return switch (pass.kind()) {
            case RESYNC -> "array was not stopped cleanly: making its copies agree while it is served" + from;
            case RECOVERY -> "recovering slot " + pass.role() + " onto " + pass.member() + from;
            case REPLACEMENT -> "replacing slot " + pass.role() + " by " + pass.member() + from;
            case CHECK -> "comparing copies";
            case REPAIR -> "comparing copies and rewriting those that differ";
        };
    }

    /** How a pass ended, and why. */
    static List<String> ended(SyncProgress pass, SyncListener.Outcome outcome, List<String> causes) {
        List<String> lines = new ArrayList<>();
        lines.add(
                switch (outcome) {
                    case DONE -> done(pass);
                    case STOPPED ->
                        activity(pass.kind()) + " stopped at " + percent(pass) + " %: the next start goes on there";
                    case GIVEN_UP ->
                        activity(pass.kind()) + of(pass) + " given up at " + percent(pass)
                                + " %: the next start tries again";
                });
        lines.addAll(causes);
        return lines;
    }

    private static String done(SyncProgress pass) {
        String moved = Size.rounded(pass.totalBytes() - pass.fromBytes());
        String lost = pass.unreadableBytes() == 0
                ? ""
                : ", " + Size.rounded(pass.unreadableBytes()) + " unreadable on all copies";
        return switch (pass.kind()) {
            case RESYNC ->
                "copies agree: " + moved + " compared, " + Size.rounded(pass.rewrittenBytes()) + " rewritten" + lost;
            case RECOVERY -> "slot " + pass.role() + " is recovered onto " + pass.member() + lost;
            case REPLACEMENT -> "slot " + pass.role() + " is replaced by " + pass.member() + lost;
            case CHECK -> "copies compared: " + moved + ", " + Size.rounded(pass.mismatchedBytes()) + " differ" + lost;
            case REPAIR ->
                "copies repaired: " + moved + " compared, " + Size.rounded(pass.mismatchedBytes()) + " differed" + lost;
        };
    }

    private static String of(SyncProgress pass) {
        return pass.role() < 0 ? "" : " of slot " + pass.role() + " onto " + pass.member();
    }

    private static long percent(SyncProgress pass) {
        return pass.totalBytes() == 0 ? 100 : (long) (pass.doneBytes() / (double) pass.totalBytes() * 100);
    }

    /** A pass as one word. */
    static String activity(SyncKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
