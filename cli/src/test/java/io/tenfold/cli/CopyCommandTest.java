package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyCommandTest {
    private static final int DATA_OFFSET = 1 << 20;
    private static final int SIZE = 4 << 20;

    @TempDir
    Path temp;

    /** Where copies of an array that says clean differ, its copy must not depend on who was quicker. */
    @Test
    void copyHasTheFirstCopyOfEverythingThoughTheArraySaysThatCopiesAgree() throws IOException {
        Path[] members = {temp.resolve("m0"), temp.resolve("m1")};
        CapturedConsole captured = new CapturedConsole();
        assertThat(captured.run(
                        "create",
                        "--raid-devices=2",
                        "--chunk=64K",
                        "--data-offset=1M",
                        "--size=4M",
                        "--assume-clean",
                        members[0].toString(),
                        members[1].toString()))
                .as(captured.err())
                .isZero();
        for (int i = 0; i < 2; i++) {
            byte[] data = new byte[SIZE];
            Arrays.fill(data, (byte) ('a' + i));
            try (FileChannel file = FileChannel.open(members[i], StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(data), DATA_OFFSET);
            }
        }
        makeWriteMostly(members[0]);
        Path target = temp.resolve("copy");
        assertThat(new CapturedConsole()
                        .run("copy", "--to", target.toString(), members[0].toString(), members[1].toString()))
                .isZero();
        byte[] expected = new byte[SIZE];
        Arrays.fill(expected, (byte) 'a');
        assertThat(Files.readAllBytes(target)).isEqualTo(expected);
    }

    /** So that whoever balances reads, on whatever device, asks the other. */
    private static void makeWriteMostly(Path member) throws IOException {
        try (FileChannel file = FileChannel.open(member, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer superblock = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
            file.read(superblock, 4096);
            superblock.put(184, (byte) 1).putInt(216, superblock.getInt(216) + 1); // The flag is a word's lowest bit.
            file.write(superblock.rewind(), 4096);
        }
    }
}
