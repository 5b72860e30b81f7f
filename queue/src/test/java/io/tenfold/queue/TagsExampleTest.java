package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of docs/tags.md, which are these methods' text, do what the page says. */
class TagsExampleTest {
    private final List<String> log = new ArrayList<>();

    @Test
    void blockingExampleWorks() {
        TagSet tags = new TagSet(TagDesign.BITMAP, 64, 0, 4, WakePolicy.DEFAULT);
        String[] slots = new String[tags.tagEnd()];
        assertThat(blocking(tags, slots)).isEqualTo(3);
        assertThat(tags.tryAcquireExactly(0, 64, new int[64], 0))
                .as("all are back")
                .isTrue();
    }

    @Test
    void polledExampleWorks() {
        TagSet tags = new TagSet(TagDesign.BITMAP, 2, 0, 4, WakePolicy.DEFAULT);
        int first = tags.tryAcquire(0);
        TagClaim claim = polled(tags, Shard.ofCaller(1, Clock.system()));
        assertThat(log).isEmpty();
        tags.release(0, first);
        tags.poll(1);
        assertThat(log).containsExactly("got 2");
        assertThat(claim.isComplete()).isTrue();
    }

    private int blocking(TagSet tags, String[] slots) {
        // example: blocking
        Shard self = Shard.ofCaller(0, Clock.system()); // What this thread parks on. Made once.
        TagClaim claim = TagClaim.blocking(0, self, 3); // Room for three tags. Made once.

        if (!tags.acquire(claim, 3)) { // All three, or wait for all three.
            while (!claim.isComplete()) {
                tags.await(claim);
            }
        }
        for (int i = 0; i < claim.count(); i++) {
            slots[claim.tag(i)] = "mine"; // The slot of that number is this thread's.
        }
        int held = claim.count();
        for (int i = 0; i < held; i++) {
            tags.release(0, claim.tag(i));
        }
        // end
        return held;
    }

    private TagClaim polled(TagSet tags, Shard loop) {
        // example: polled
        TagClaim claim = TagClaim.polled(1, loop, 2, (granted, from, count) -> log.add("got " + count));

        if (tags.acquire(claim, 2)) {
            log.add("had both at once");
        }
        // In the loop of shard 1, whenever it was woken: calls back what has been granted.
        tags.poll(1);
        // end
        return claim;
    }

    @Test
    void pageShowsTheseMethods() throws Exception {
        String page = Files.readString(Path.of("../docs/tags.md"));
        List<String> lines = Files.readAllLines(Path.of("src/test/java/io/tenfold/queue/TagsExampleTest.java"));
        for (String name : List.of("blocking", "polled")) {
            assertThat(page).as("example %s", name).contains("```java\n" + example(lines, name) + "```");
        }
    }

    private static String example(List<String> lines, String name) {
        StringBuilder text = new StringBuilder();
        int at = lines.indexOf("        // example: " + name) + 1;
        assertThat(at).as("example %s", name).isPositive();
        while (!lines.get(at).equals("        // end")) {
            text.append(lines.get(at++).replaceFirst("^ {8}", "")).append('\n');
        }
        return text.toString();
    }
}
