package io.tenfold.raid;

import java.util.ArrayList;
import java.util.List;

/**
 * Which members count, at one moment, and as what: an immutable table, replaced as a whole when a member fails, or holds more
 * than before, or takes a role. A member is known by its index: each of its states is a {@link Member} of its own. A member
 * that has failed is in no roster any more; nobody comes back.
 */
final class Roster {
    private final long epoch;
    private final Member[] members;
    private final Member[] byRole;
    private final Member[] replacementByRole;
    private final List<MemberFailure> failures;

    private Roster(long epoch, Member[] members, int roles, List<MemberFailure> failures) {
        this.epoch = epoch;
        this.members = members;
        this.failures = List.copyOf(failures);
        byRole = new Member[roles];
        replacementByRole = new Member[roles];
        for (Member member : members) {
            if (member.role() != Member.NO_ROLE) {
                (member.isReplacement() ? replacementByRole : byRole)[member.role()] = member;
            }
        }
    }

    /** The roster with which an array starts. */
    static Roster of(Member[] members, int roles) {
        return new Roster(0, members.clone(), roles, List.of());
    }

    /** The next roster, without a member. */
    Roster without(MemberFailure failure) {
        List<Member> left = new ArrayList<>(List.of(members));
        left.removeIf(member -> member.index() == failure.member().index());
        List<MemberFailure> more = new ArrayList<>(failures);
        more.add(failure);
        return new Roster(epoch + 1, left.toArray(Member[]::new), byRole.length, more);
    }

    /** The next roster, with a member that counts already, in another state. */
    Roster with(Member changed) {
        Member[] next = members.clone();
        for (int i = 0; i < next.length; i++) {
            if (next[i].index() == changed.index()) {
                next[i] = changed;
            }
        }
        return new Roster(epoch, next, byRole.length, failures);
    }

    /** The next roster, in which a member that counts already stands in the place of another, which does not count any more. */
    Roster succeeded(Member old, Member successor) {
        List<Member> left = new ArrayList<>();
        for (Member member : members) {
            if (member.index() == successor.index()) {
                left.add(successor);
            } else if (member.index() != old.index()) {
                left.add(member);
            }
        }
        return new Roster(epoch + 1, left.toArray(Member[]::new), byRole.length, failures);
    }

    /** Counts from 0, one up with each member that does not count any more. */
    long epoch() {
        return epoch;
    }

    /** All that count, spares included. Not to be changed. */
    Member[] members() {
        return members;
    }

    /** The member that fills a role, or null. */
    Member active(int role) {
        return byRole[role];
    }

    /** The member that is to replace the one in a role, or null. */
    Member replacement(int role) {
        return replacementByRole[role];
    }

    /** The member with an index as it is now, or null. */
    Member member(int index) {
        for (Member counted : members) {
            if (counted.index() == index) {
                return counted;
            }
        }
        return null;
    }

    /** Whether a member counts, in whatever state. */
    boolean contains(Member member) {
        return member(member.index()) != null;
    }

    /** Whether a role is filled by a member whose data is all valid. */
    boolean isInSync(int role) {
        return (byRole[role] != null && byRole[role].isInSync())
                || (replacementByRole[role] != null && replacementByRole[role].isInSync());
    }

    /** Roles without a member whose data is all valid. */
    int degraded(int roles) {
        int count = 0;
        for (int role = 0; role < roles; role++) {
            if (!isInSync(role)) {
                count++;
            }
        }
        return count;
    }

    /** Who has failed since the array was opened, in order. */
    List<MemberFailure> failures() {
        return failures;
    }
}
