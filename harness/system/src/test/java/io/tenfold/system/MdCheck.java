package io.tenfold.system;

import io.tenfold.testkit.Command;
import io.tenfold.testkit.Repository;
import io.tenfold.testkit.Tool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Puts copies of member files in front of mdadm and a real Linux kernel; see {@code harness/kernel}. */
final class MdCheck {
    /** Without KVM the machine is emulated, and everything takes some ten times as long. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private MdCheck() {}

    /** Skips or fails the test where there is no machine to boot a kernel in. */
    static void require() {
        Tool.require(Tool.BASH, Tool.QEMU_SYSTEM, Tool.MDADM);
    }

    /** What the kernel says of these members; the options are those of {@code md-check}. */
    static Command.Result run(Collection<Path> members, Object... options) {
        require();
        List<Object> words = new ArrayList<>(List.of("--timeout", LIMIT.toSeconds() - 30));
        words.addAll(List.of(options));
        words.addAll(members);
        Path tool = Repository.root().resolve("harness/kernel/md-check");
        return Command.of(tool).with(words.toArray()).within(LIMIT).run();
    }
}
