package io.tenfold.raid;

import java.util.List;
import java.util.Optional;

/**
 * What the members of one array add up to.
 *
 * @param uuid identity of the array
 * @param name as stored; may be empty
 * @param freshest the superblock that says which member has which role
 * @param members all that carry its identity, usable or not
 * @param plan how to run it; empty if it cannot be
 * @param refusal why it cannot be run; empty if it can
 * @param leftOut members that are not used, and why
 */
public record ArrayReport(
        MdUuid uuid,
        String name,
        Optional<Superblock> freshest,
        List<MemberReport> members,
        Optional<ArrayPlan> plan,
        Optional<Refusal> refusal,
        List<LeftOut> leftOut) {
    public ArrayReport {
        members = List.copyOf(members);
        leftOut = List.copyOf(leftOut);
    }

    /** What messages call it. */
    public String label() {
        return Wording.label(name, uuid);
    }
}
