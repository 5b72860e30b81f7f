package io.tenfold.cli;

import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArrayReport;
import io.tenfold.raid.LeftOut;
import io.tenfold.raid.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What members add up to, line by line. */
final class ArrayText {
    private final List<String> lines = new ArrayList<>();

    private ArrayText() {}

    /** What the members of one array add up to. */
    static List<String> of(ArrayReport array) {
        ArrayText text = new ArrayText();
        array.plan().ifPresentOrElse(text::plan, () -> text.refused(array));
        return text.lines;
    }

    private void add(String name, String value) {
        lines.add("%17s : %s".formatted(name, value));
    }

    private void plan(ArrayPlan plan) {
        lines.add("array \"" + plan.label() + "\":");
        add("Array UUID", plan.uuid().toString());
        add("Shape", shape(plan) + ", " + Size.rounded(plan.sizeBytes()) + " (" + plan.sizeBytes() + " bytes)");
        add("Assembles", "yes, " + state(plan));
        if (!plan.missing().isEmpty()) {
            add("Missing", "slots=" + list(plan.missing()));
        }
        for (ArrayPlan.Member member : plan.members()) {
            add("Slot " + member.role(), member.report().name() + ", " + memberState(member));
        }
        plan.spares().forEach(spare -> add("Spare", spare.name() + ", " + spareState(plan)));
        plan.leftOut().forEach(this::leftOut);
        if (plan.needsRun() && plan.isWritable()) {
            add("Writing", "with --run only: a member that the others count on is not here");
        }
        plan.whyReadOnly().forEach(why -> add("Read-only", why));
        plan.notes().forEach(note -> add("Note", note));
    }

    private void refused(ArrayReport array) {
        lines.add("array \"" + array.label() + "\":");
        add("Array UUID", array.uuid().toString());
        Refusal refusal = array.refusal().orElseThrow();
        add("Assembles", "no");
        add("Reason", refusal.message());
        if (!refusal.detail().isEmpty()) {
            add("Detail", refusal.detail());
        }
        refusal.hints().forEach(hint -> add("Hint", hint));
    }

    private void leftOut(LeftOut out) {
        add("Left out", out.member().name() + ": " + out.text());
    }

    /** {@code raid10 near=2 on 4 members, chunk 64K}. */
    static String shape(ArrayPlan plan) {
        String reshape = plan.reshape()
                .map(r -> ", being reshaped to " + r.geometry().layout() + " on "
                        + r.geometry().members() + " members, chunk "
                        + Size.exact(r.geometry().chunkBytes()) + ", at " + r.positionBytes() + " bytes")
                .orElse("");
        return plan.level() == 1
                ? "raid1 on " + plan.geometry().members() + " members"
                : "raid10 " + plan.geometry().layout() + " on "
                        + plan.geometry().members() + " members, chunk "
                        + Size.exact(plan.geometry().chunkBytes()) + reshape;
    }

    /** {@code clean}, {@code degraded, not clean: …}. */
    static String state(ArrayPlan plan) {
        List<String> words = new ArrayList<>();
        if (plan.degraded() > 0) {
            words.add("degraded, " + (plan.roles() - plan.degraded()) + " of " + plan.roles() + " members");
        }
        words.add(
                plan.isClean()
                        ? "clean"
                        : "not stopped cleanly: copies may differ"
                                + (plan.checkpointBytes() == 0 ? "" : " from byte " + plan.checkpointBytes() + " on"));
        return String.join(", ", words);
    }

    /** {@code in sync}, {@code rebuilt up to …}. */
    static String memberState(ArrayPlan.Member member) {
        String state = member.isInSync() ? "in sync" : "rebuilt up to byte " + member.recoveredBytes() + " of its data";
        String bad =
                member.badRanges().isEmpty() ? "" : ", " + member.badRanges().size() + " bad ranges";
        return (member.replacement() ? "replacement, " : "")
                + state
                + bad
                + (member.isWriteMostly() ? ", write-mostly" : "");
    }

    /** {@code spare, not needed: …}. */
    static String spareState(ArrayPlan plan) {
        return plan.missing().isEmpty()
                ? "spare, not needed: no slot is missing"
                : "spare, takes a missing slot when the array is served for writing";
    }

    /** {@code 0,2}. */
    static String list(List<Integer> slots) {
        return slots.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
