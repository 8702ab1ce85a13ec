package io.github.gramian.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints one line about the tests of all modules that were skipped because a tool is not installed, or nothing. The last
 * module runs this file as source code, so it uses the JDK only.
 */
public final class SkippedTestsSummary {

    private SkippedTestsSummary() {}

    /** The argument is the directory of the whole build. */
    public static void main(String[] arguments) throws IOException {
        String line = line(Path.of(arguments[0]));
        if (!line.isEmpty()) {
            System.out.println("[WARNING] " + line);
        }
    }

    /** Sums up the files {@code <module>/target/skipped-tests/<test>}; empty if no test was skipped. */
    static String line(Path build) throws IOException {
        Map<String, Integer> testsByPackage = new TreeMap<>();
        int tests = 0;
        for (Path file : files(build)) {
            for (String packages : Files.readAllLines(file)) {
                tests++;
                Stream.of(packages.split(" ", -1)).forEach(name -> testsByPackage.merge(name, 1, Integer::sum));
            }
        }
        if (tests == 0) {
            return "";
        }
        String needs = testsByPackage.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
        return "Skipped tests and test classes whose tools are not installed: " + tests + " (" + needs
                + "). To run them on Debian: apt install " + String.join(" ", testsByPackage.keySet());
    }

    private static List<Path> files(Path build) throws IOException {
        try (Stream<Path> modules = Files.list(build)) {
            return modules.map(module -> module.resolve("target").resolve("skipped-tests"))
                    .filter(Files::isDirectory)
                    .flatMap(SkippedTestsSummary::list)
                    .toList();
        }
    }

    private static Stream<Path> list(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
