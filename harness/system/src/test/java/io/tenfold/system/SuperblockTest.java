package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.Sha256;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The crafting tool against superblocks that mdadm wrote. */
class SuperblockTest {
    @TempDir
    Path dir;

    @Test
    void writingBackWhatMdadmWroteChangesNothing() throws IOException {
        for (Path member : Corpus.open().unpack("near2-4-degraded1", dir)) {
            String before = Sha256.of(member);
            Superblock superblock = Superblock.of(member);
            assertThat(superblock.get(Superblock.LEVEL)).isEqualTo(10);
            assertThat(superblock.get(Superblock.LAYOUT)).isEqualTo(0x102);
            assertThat(superblock.get(Superblock.CHUNK)).isEqualTo(128);
            assertThat(superblock.get(Superblock.RAID_DISKS)).isEqualTo(4);
            assertThat(superblock.role(0)).isZero();
            superblock.write();
            assertThat(Sha256.of(member)).isEqualTo(before);
        }
    }
}
