package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.raid.SyncKind;
import io.tenfold.raid.SyncListener.Outcome;
import io.tenfold.raid.SyncProgress;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyncTextTest {
    private static SyncProgress pass(SyncKind kind, int role, long from, long done) {
        return new SyncProgress(kind, role, role < 0 ? "" : "m4.img", from, done, 1 << 20, 4096, 512, 0);
    }

    @Test
    void whatBeginsIsSaidWithWhereItBegins() {
        assertThat(SyncText.started(pass(SyncKind.RESYNC, -1, 0, 0)))
                .isEqualTo("array was not stopped cleanly: making its copies agree while it is served");
        assertThat(SyncText.started(pass(SyncKind.RESYNC, -1, 65536, 0)))
                .isEqualTo(
                        "array was not stopped cleanly: making its copies agree while it is served, from byte 65536 on");
        assertThat(SyncText.started(pass(SyncKind.RECOVERY, 2, 0, 0))).isEqualTo("recovering slot 2 onto m4.img");
        assertThat(SyncText.started(pass(SyncKind.REPLACEMENT, 2, 512, 0)))
                .isEqualTo("replacing slot 2 by m4.img, from byte 512 on");
        assertThat(SyncText.started(pass(SyncKind.CHECK, -1, 0, 0))).isEqualTo("comparing copies");
        assertThat(SyncText.started(pass(SyncKind.REPAIR, -1, 0, 0)))
                .isEqualTo("comparing copies and rewriting those that differ");
    }

    @Test
    void whatEndsIsSaidWithWhatCameOfIt() {
        assertThat(ended(SyncKind.RESYNC, -1, Outcome.DONE))
                .containsExactly("copies agree: 1.00 MiB compared, 4.00 KiB rewritten");
        assertThat(ended(SyncKind.RECOVERY, 2, Outcome.DONE)).containsExactly("slot 2 is recovered onto m4.img");
        assertThat(ended(SyncKind.REPLACEMENT, 2, Outcome.DONE)).containsExactly("slot 2 is replaced by m4.img");
        assertThat(ended(SyncKind.CHECK, -1, Outcome.DONE)).containsExactly("copies compared: 1.00 MiB, 512 B differ");
        assertThat(ended(SyncKind.REPAIR, -1, Outcome.DONE))
                .containsExactly("copies repaired: 1.00 MiB compared, 512 B differed");
    }

    @Test
    void whatIsNotDoneIsSaidWithHowFarItCameAndWhy() {
        assertThat(SyncText.ended(pass(SyncKind.RESYNC, -1, 0, 1 << 19), Outcome.STOPPED, List.of()))
                .containsExactly("resync stopped at 50 %: the next start goes on there");
        assertThat(SyncText.ended(
                        pass(SyncKind.RECOVERY, 2, 0, 1 << 18), Outcome.GIVEN_UP, List.of("no copy can be read")))
                .containsExactly(
                        "recovery of slot 2 onto m4.img given up at 25 %: the next start tries again",
                        "no copy can be read");
    }

    @Test
    void blocksThatNoCopyGaveAreSaid() {
        SyncProgress lossy = new SyncProgress(SyncKind.RESYNC, -1, "", 0, 1 << 20, 1 << 20, 0, 0, 512);
        assertThat(SyncText.ended(lossy, Outcome.DONE, List.of()).getFirst())
                .endsWith(", 512 B unreadable on all copies");
    }

    private static List<String> ended(SyncKind kind, int role, Outcome outcome) {
        return SyncText.ended(pass(kind, role, 0, 1 << 20), outcome, List.of());
    }
}
