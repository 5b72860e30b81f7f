package io.tenfold.rules;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the sources are. */
final class Repository {
    private Repository() {}

    /** The folder with the launcher of Maven in it, from the working folder upwards. */
    static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (at != null && !Files.exists(at.resolve("mvnw"))) {
            at = at.getParent();
        }
        if (at == null) {
            throw new IllegalStateException(
                    "not within the repository: folder=" + Path.of("").toAbsolutePath());
        }
        return at;
    }
}
