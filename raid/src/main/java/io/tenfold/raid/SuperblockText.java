package io.tenfold.raid;

import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.Superblock1;
import java.util.Arrays;
import java.util.Comparator;

/** What an update of the superblocks says, member by member, as the kernel would say it. Immutable. */
final class SuperblockText {
    private static final int MEMBER_FEATURES =
            Superblock1.FEATURE_RECOVERY_OFFSET | Superblock1.FEATURE_REPLACEMENT | Superblock1.FEATURE_RECOVERY_BITMAP;

    private final int[] roles;
    private final long events;
    private final long updatedMicros;
    private final long resyncSectors;
    private final BadBlockKeeper badBlocks;

    /**
     * One update.
     *
     * @param all members as they were assembled
     * @param roster those that count, and as what
     * @param events the counter of updates
     * @param updatedMicros one for all: by it members of one update know each other
     * @param resyncSectors array sectors known to agree, {@link MdSuperblock#CLEAN} for all
     * @param badBlocks says which logs are in use
     */
    SuperblockText(
            Member[] all,
            Roster roster,
            long events,
            long updatedMicros,
            long resyncSectors,
            BadBlockKeeper badBlocks) {
        roles = roles(all, roster);
        this.events = events;
        this.updatedMicros = updatedMicros;
        this.resyncSectors = resyncSectors;
        this.badBlocks = badBlocks;
    }

    /** Roles by number: of those that count what they have, of those that are not here any more "faulty". */
    private static int[] roles(Member[] all, Roster roster) {
        MdSuperblock freshest = Arrays.stream(all)
                .map(member -> member.superblock().raw())
                .max(Comparator.comparingLong(MdSuperblock::events))
                .orElseThrow();
        int[] roles = new int[freshest.roleSlots()];
        Arrays.setAll(roles, number -> {
            int before = freshest.role(number);
            return freshest.isActive(before) ? MdSuperblock.ROLE_FAULTY : before;
        });
        for (MemberFailure failure : roster.failures()) {
            roles[failure.member().devNumber()] = MdSuperblock.ROLE_FAULTY;
        }
        for (Member member : roster.members()) {
            roles[member.devNumber()] = member.role() == Member.NO_ROLE ? MdSuperblock.ROLE_SPARE : member.role();
        }
        return roles;
    }

    /** The superblock of a member that counts. */
    Superblock1 of(Member member) {
        Superblock1 before = (Superblock1) member.superblock().raw();
        boolean recovering = member.role() != Member.NO_ROLE && !member.isInSync();
        int features = (before.featureMap() & ~MEMBER_FEATURES)
                | (recovering ? Superblock1.FEATURE_RECOVERY_OFFSET : 0)
                | (member.isReplacement() ? Superblock1.FEATURE_REPLACEMENT : 0);
        Superblock1.Editor editor = before.edit()
                .featureMap(badBlocks.features(member, features))
                .recoveryOffset(recovering ? member.validBytes() / MdSuperblock.SECTOR : 0)
                .events(events)
                .updatedMicros(updatedMicros)
                .resyncOffset(resyncSectors);
        for (int number = 0; number < Math.min(roles.length, before.roleSlots()); number++) {
            editor.role(number, roles[number]);
        }
        return editor.done();
    }
}
