package io.tenfold.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;

/** SHA-256 of files, as lower-case hex. */
public final class Sha256 {
    private Sha256() {}

    /** Of the whole file. */
    public static String of(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return of(in);
        }
    }

    /** Of all that is left in the stream, which stays open. */
    public static String of(InputStream in) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 17];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    /** Of each file, by path: two such maps are equal exactly if no file has changed. */
    public static SortedMap<Path, String> ofAll(Collection<Path> files) throws IOException {
        SortedMap<Path, String> all = new TreeMap<>();
        for (Path file : files) {
            all.put(file, of(file));
        }
        return all;
    }
}
