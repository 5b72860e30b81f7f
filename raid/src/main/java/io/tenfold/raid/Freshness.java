package io.tenfold.raid;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides whose superblock speaks for the array: the one that was updated last, unless two parts of the array each went
 * on without the other.
 *
 * <p>A superblock <i>denies</i> another member if its table gives that member's number no place in the array.
 *
 * @param freshest whose table of roles decides
 * @param contradiction why none may decide; null if one may
 */
record Freshness(MemberReport freshest, Refusal contradiction) {
    /** A member with a role may be one update behind: the machine may have stopped between two writes. */
    private static final long EVENTS_BEHIND_MAX = 1;

    /**
     * Looks at all members of an array.
     *
     * @param label the array, for messages
     * @param members without duplicates, not empty
     */
    static Freshness of(String label, List<MemberReport> members) {
        MemberReport freshest = freshest(members);
        List<MemberReport> half = members.stream()
                .filter(m -> claimsRole(m) && !denies(freshest, m) && isInStep(m, freshest))
                .toList();
        List<MemberReport> others = members.stream()
                .filter(m -> claimsRole(m) && denies(freshest, m))
                .filter(m -> claimsRole(freshest) && half.stream().allMatch(h -> denies(m, h)))
                .toList();
        if (!others.isEmpty()) {
            return new Freshness(freshest, splitBrain(label, half, others));
        }
        for (MemberReport member : half) {
            if (!member.equals(freshest)
                    && denies(member, freshest)
                    && !superblock(freshest).isRecovering()) {
                return new Freshness(freshest, contradiction(label, freshest, member));
            }
        }
        return new Freshness(freshest, null);
    }

    /**
     * Whether a member was written with the last update, or the one before. The counter steps back when nothing but clean
     * and dirty changed, so an old copy may have the newest count; but an update gives all members one time, so equal
     * counts with another time are not of one update.
     */
    static boolean isInStep(MemberReport member, MemberReport freshest) {
        Superblock own = superblock(member);
        Superblock newest = superblock(freshest);
        return own.events() == newest.events()
                ? own.updatedMicros() >= newest.updatedMicros()
                : own.events() >= newest.events() - EVENTS_BEHIND_MAX;
    }

    static boolean claimsRole(MemberReport member) {
        return superblock(member).isActive(superblock(member).ownRole());
    }

    private static boolean denies(MemberReport one, MemberReport other) {
        int role = one.superblock().orElseThrow().raw().role(superblock(other).devNumber());
        return !superblock(one).isActive(role);
    }

    private static Superblock superblock(MemberReport member) {
        return member.superblock().orElseThrow();
    }

    /**
     * The highest count, and of several the latest. Of those still several, one with a role; and not one that another denies without being denied: whoever
     * denies has seen the failure, and the counter may have stepped back in between.
     */
    private static MemberReport freshest(List<MemberReport> members) {
        long events =
                members.stream().mapToLong(m -> superblock(m).events()).max().orElseThrow();
        List<MemberReport> top = members.stream()
                .filter(m -> superblock(m).events() == events)
                .sorted(Comparator.<MemberReport, Boolean>comparing(m -> !claimsRole(m))
                        .thenComparingLong(m -> -superblock(m).updatedMicros()))
                .toList();
        for (MemberReport candidate : top) {
            boolean outdated =
                    top.stream().anyMatch(o -> claimsRole(o) && denies(o, candidate) && !denies(candidate, o));
            if (claimsRole(candidate) && !outdated) {
                return candidate;
            }
        }
        return top.getFirst();
    }

    private static Refusal splitBrain(String label, List<MemberReport> half, List<MemberReport> others) {
        Map<String, List<MemberReport>> halves = new LinkedHashMap<>();
        half.forEach(m -> halves.computeIfAbsent("", _ -> new ArrayList<>()).add(m));
        others.forEach(m -> halves.computeIfAbsent(superblock(m).arrayState(), _ -> new ArrayList<>())
                .add(m));
        List<String> details = new ArrayList<>();
        for (List<MemberReport> one : halves.values()) {
            MemberReport newest = one.stream()
                    .max(Comparator.comparingLong(m -> superblock(m).events()))
                    .orElseThrow();
            details.add(Wording.list(one.stream().map(MemberReport::name).toList()) + " ("
                    + Wording.freshness(superblock(newest)) + ")");
        }
        return new Refusal(
                "cannot assemble \"" + label + "\": its members are " + (details.size() == 2 ? "two" : details.size())
                        + " halves that call each other missing",
                String.join(" against ", details),
                List.of("both went on alone, so their data differs: name only the members of the half that you want"));
    }

    private static Refusal contradiction(String label, MemberReport freshest, MemberReport member) {
        return new Refusal(
                "cannot assemble \"" + label + "\": " + member.name() + " calls " + freshest.name()
                        + " failed, which does not know of it and is as new",
                member.name() + " (" + Wording.freshness(superblock(member)) + ") against " + freshest.name() + " ("
                        + Wording.freshness(superblock(freshest)) + ")",
                List.of("leave one of the two out: name the members that you trust"));
    }
}
