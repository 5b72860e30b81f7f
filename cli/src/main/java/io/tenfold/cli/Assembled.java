package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.Examination;
import java.util.List;

/** From members to the array that a command works on, with what its user should be told on the way. */
final class Assembled {
    private Assembled() {}

    /**
     * The one array that these make, for reading.
     *
     * @throws CommandFailure if they make none
     */
    static ArrayPlan forReading(List<BlockDevice> devices, Console console) throws CommandFailure {
        Examination examination = Examination.of(devices, Shard.ofCaller(0, console.clock()));
        ArrayPlan plan = Failures.orRefuse(examination::assemble);
        sayWhatIsWrong(plan, console);
        return plan;
    }

    /**
     * The one array that these make, for writing.
     *
     * @param run without members, too, that the others count on
     * @throws CommandFailure if they make none, or one that must not be written to
     */
    static ArrayPlan forWriting(List<BlockDevice> devices, boolean run, Console console) throws CommandFailure {
        ArrayPlan plan = forReading(devices, console);
        if (!plan.isWritable()) {
            CommandFailure failure =
                    CommandFailure.refused("array must not be written to: array=\"" + plan.label() + "\"");
            plan.whyReadOnly().forEach(failure::detail);
            throw failure.hint("--read-only serves it as it is");
        }
        if (plan.needsRun() && !run) {
            throw CommandFailure.refused("a member is missing that the others count on: array=\"" + plan.label()
                            + "\", missing slots=" + ArrayText.list(plan.missing()))
                    .detail("what is written without it makes it stale")
                    .hint("name it too, or serve without it by --run, or by --read-only");
        }
        if (plan.needsRun()) {
            console.say("warning: slots=" + ArrayText.list(plan.missing()) + " are not known to have failed: what was"
                    + " written to them without these members is not in what is served now, and what is written now makes"
                    + " them stale");
        }
        return plan;
    }

    private static void sayWhatIsWrong(ArrayPlan plan, Console console) {
        if (plan.degraded() > 0) {
            console.say("array \"" + plan.label() + "\" is degraded: missing slots=" + ArrayText.list(plan.missing()));
        }
        plan.leftOut().forEach(out -> console.say("not used: " + out.member().name() + ": " + out.text()));
        plan.members().stream()
                .filter(member -> !member.isInSync())
                .forEach(member -> console.say("slot " + member.role() + ": "
                        + member.report().name() + ", " + ArrayText.memberState(member)));
        plan.members()
                .forEach(member -> member.report()
                        .warnings()
                        .forEach(warning ->
                                console.say("warning: " + member.report().name() + ": " + warning)));
        plan.spares().forEach(spare -> console.say(spare.name() + " is a " + ArrayText.spareState(plan)));
        plan.notes().forEach(note -> console.say("note: " + note));
    }
}
