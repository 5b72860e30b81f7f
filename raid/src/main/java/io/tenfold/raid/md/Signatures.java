package io.tenfold.raid.md;

import static io.tenfold.raid.md.LittleEndian.u16;
import static io.tenfold.raid.md.LittleEndian.u32;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What besides md lies on a device, by the magic numbers that file systems and the like keep. */
public final class Signatures {
    private static final int HEAD = 4096 + 512;
    private static final int BTRFS_AT = 0x10000 + 64;
    private static final int ISO_AT = 0x8001;
    private static final int EXT_AT = 1024;
    private static final int PIECE = 65536;
    private static final int DDF_MAGIC = 0xde11de11;

    private Signatures() {}

    /**
     * Names of what begins at an address; empty if nothing known does.
     *
     * @throws IOException if the device cannot be read
     */
    public static List<String> at(DeviceReader device, long base) throws IOException {
        List<String> found = new ArrayList<>();
        if (!device.holds(base, HEAD)) {
            return found;
        }
        byte[] head = device.read(base, HEAD);
        if (u16(head, EXT_AT + 56) == 0xef53) {
            found.add(ext(head));
        }
        if (u32(head, EXT_AT) == 0xf2f52010L) {
            found.add("f2fs");
        }
        if (holds(head, 0, "XFSB")) {
            found.add("xfs");
        }
        if (holds(head, 0, "LUKS\u00ba\u00be")) {
            found.add("LUKS");
        }
        for (int sector = 0; sector < 4; sector++) {
            if (holds(head, sector * 512, "LABELONE")) {
                found.add("LVM physical volume");
            }
        }
        if (holds(head, 4086, "SWAPSPACE2") || holds(head, 4086, "SWAP-SPACE")) {
            found.add("swap");
        }
        if (holds(head, 3, "NTFS    ")) {
            found.add("ntfs");
        }
        if (holds(head, 54, "FAT1") || holds(head, 82, "FAT32   ")) {
            found.add("vfat");
        }
        if (holds(head, 3, "EXFAT   ")) {
            found.add("exfat");
        }
        if (holds(head, 0, "hsqs")) {
            found.add("squashfs");
        }
        if (device.holds(base + BTRFS_AT, 8) && holds(device.read(base + BTRFS_AT, 8), 0, "_BHRfS_M")) {
            found.add("btrfs");
        }
        if (device.holds(base + ISO_AT, 5) && holds(device.read(base + ISO_AT, 5), 0, "CD001")) {
            found.add("iso9660");
        }
        return found;
    }

    /**
     * RAID metadata of firmware at the end of a device, which mdadm calls containers: what it is, or empty.
     *
     * @throws IOException if the device cannot be read
     */
    public static String container(DeviceReader device) throws IOException {
        long end = device.sizeBytes();
        if (device.holds(end - 1024, 1024)) {
            byte[] tail = device.read(end - 1024, 1024);
            if (holds(tail, 0, "Intel Raid ISM Cfg Sig. ")) {
                return "Intel firmware RAID (imsm)";
            }
            if (Integer.reverseBytes(LittleEndian.i32(tail, 512)) == DDF_MAGIC) {
                return "DDF firmware RAID";
            }
        }
        return "";
    }

    /** Which of its generations, by the features that only they have. */
    private static String ext(byte[] head) {
        long compat = u32(head, EXT_AT + 92);
        long incompat = u32(head, EXT_AT + 96);
        long roCompat = u32(head, EXT_AT + 100);
        boolean extents = (incompat & 0x02c0) != 0 || (roCompat & 0x0478) != 0;
        if (extents) {
            return "ext4";
        }
        return (compat & 4) != 0 ? "ext3" : "ext2";
    }

    private static boolean holds(byte[] bytes, int at, String text) {
        byte[] wanted = text.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < wanted.length; i++) {
            if (bytes[at + i] != wanted[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the first and last 64 KiB hold zeroes only: a device that nobody has used, or that was wiped.
     *
     * @throws IOException if the device cannot be read
     */
    public static boolean isBlank(DeviceReader device) throws IOException {
        int length = (int) Math.min(PIECE, device.sizeBytes());
        return isZero(device.read(0, length)) && isZero(device.read(device.sizeBytes() - length, length));
    }

    private static boolean isZero(byte[] bytes) {
        for (byte b : bytes) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }
}
