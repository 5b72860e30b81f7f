package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What any number of devices, in any order, were found to be, and which arrays they add up to. Made by reading alone.
 *
 * @param members a report for each device, and one for each partition that holds a member
 * @param arrays a report for each array of which a member was found
 */
public record Examination(List<MemberReport> members, List<ArrayReport> arrays) {
    public Examination {
        members = List.copyOf(members);
        arrays = List.copyOf(arrays);
    }

    /**
     * Examines devices, which stay open and the caller's.
     *
     * @param shard the calling thread's; the call blocks on the devices
     */
    public static Examination of(List<? extends BlockDevice> devices, Shard shard) {
        List<MemberReport> members = new ArrayList<>();
        for (BlockDevice device : devices) {
            members.addAll(MemberProbe.probe(device, shard));
        }
        Map<MdUuid, List<MemberReport>> sets = new LinkedHashMap<>();
        List<MemberReport> strangers = new ArrayList<>();
        for (MemberReport member : members) {
            member.superblock()
                    .ifPresentOrElse(
                            s -> sets.computeIfAbsent(s.arrayUuid(), _ -> new ArrayList<>())
                                    .add(member),
                            () -> strangers.add(member));
        }
        List<ArrayReport> arrays = sets.values().stream()
                .map(set -> Assembly.of(set, strangers, shard))
                .toList();
        return new Examination(members, arrays);
    }

    /**
     * The one array that these devices hold.
     *
     * @throws RefusedException if they hold none, several, or one that cannot be assembled
     */
    public ArrayPlan assemble() throws RefusedException {
        List<ArrayReport> candidates = arrays.stream()
                .filter(a -> a.members().stream().anyMatch(MemberReport::isMember))
                .toList();
        if (candidates.isEmpty()) {
            throw new RefusedException(noMember());
        }
        if (candidates.size() > 1) {
            throw new RefusedException(severalArrays(candidates));
        }
        ArrayReport array = candidates.getFirst();
        if (array.refusal().isPresent()) {
            throw new RefusedException(array.refusal().get());
        }
        return array.plan().orElseThrow();
    }

    private Refusal noMember() {
        List<String> details = new ArrayList<>();
        for (MemberReport member : members) {
            List<String> facts = new ArrayList<>(member.problems());
            facts.addAll(member.findings());
            details.add(member.name() + ": " + String.join("; ", facts));
        }
        return new Refusal(
                "cannot assemble: "
                        + (members.size() == 1
                                ? "it is not a usable md member"
                                : "none of " + Wording.count(members.size(), "device") + " is a usable md member"),
                String.join(" | ", details),
                List.of());
    }

    private static Refusal severalArrays(List<ArrayReport> arrays) {
        List<String> details = new ArrayList<>();
        for (ArrayReport array : arrays) {
            details.add("\"" + array.label() + "\" (" + array.uuid() + "): "
                    + Wording.list(
                            array.members().stream().map(MemberReport::name).toList()));
        }
        return new Refusal(
                "cannot assemble: these are members of " + arrays.size() + " arrays",
                String.join(" | ", details),
                List.of("name the members of one array"));
    }
}
