package io.tenfold.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Rules about source files; each answers with what breaks it. */
final class SourceRules {
    private static final Pattern MODULE = Pattern.compile("module\\s+(\\S+)\\s*\\{");
    private static final Pattern EXPORTS = Pattern.compile("exports\\s+([\\w.]+)\\s*(to[^;]*)?;");

    private SourceRules() {}

    static List<String> tooLong(Path root, int linesMax) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : java(root)) {
            long lines;
            try (Stream<String> all = Files.lines(file)) {
                lines = all.count();
            }
            if (lines > linesMax) {
                found.add(root.relativize(file) + ": lines=" + lines);
            }
        }
        return found;
    }

    static List<String> wrongExports(Path root) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : java(root)) {
            if (!file.endsWith("module-info.java")) {
                continue;
            }
            String text = Files.readString(file);
            Matcher module = MODULE.matcher(text);
            if (!module.find()) {
                found.add(root.relativize(file) + ": no module");
                continue;
            }
            Matcher exports = EXPORTS.matcher(text);
            while (exports.find()) {
                if (!exports.group(1).equals(module.group(1))) {
                    found.add(root.relativize(file) + ": exports=" + exports.group(1));
                }
            }
        }
        return found;
    }

    static List<String> switchedOff(Path root) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : java(root)) {
            if (Files.readString(file).contains("@" + "Disabled")) {
                found.add(root.relativize(file).toString());
            }
        }
        return found;
    }

    private static List<Path> java(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(f -> f.toString().endsWith(".java"))
                    .filter(f -> !root.relativize(f).toString().contains("target/"))
                    .sorted()
                    .toList();
        }
    }
}
