package io.tenfold.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where this repository lies, for tests that run what is in it. */
public final class Repository {
    private Repository() {}

    /** The folder that holds {@code mvnw}, found from the working directory upwards. */
    public static Path root() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isRegularFile(folder.resolve("mvnw")) && Files.isDirectory(folder.resolve("harness"))) {
                return folder;
            }
        }
        throw new IllegalStateException("not inside the repository: folder=" + start);
    }
}
