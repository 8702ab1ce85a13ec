package io.github.gramian.natives.internal;

import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was unpacked from a jar, noted in a list next to it: comparing the list with the sizes of its files, instead of
 * reading the jar, shows that all files are still there.
 *
 * @param folder that the jar was unpacked into
 * @param jarBytes size of the jar
 */
record UnpackedFiles(Path folder, long jarBytes) {

    private static final String LIST = "gramian-unpacked.txt";

    /** Whether everything on the list is there in its size, and the list is that of this jar. */
    boolean complete() {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(LIST));
            if (!lines.get(0).equals(Long.toString(jarBytes))) {
                return false;
            }
            for (String line : lines.subList(1, lines.size())) {
                int space = line.indexOf(' ');
                if (Files.size(folder.resolve(line.substring(space + 1))) != Long.parseLong(line.substring(0, space))) {
                    return false;
                }
            }
            return lines.size() > 1;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Writes the list of what is there. */
    void note() throws IOException {
        String lines;
        try (Stream<Path> below = Files.walk(folder)) {
            lines = below.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .filter(path -> !path.startsWith(folder.resolve(LIST)))
                    .map(path -> path.toFile().length() + " " + folder.relativize(path) + "\n")
                    .sorted()
                    .collect(Collectors.joining());
        }
        AtomicFile.writeText(folder.resolve(LIST), jarBytes + "\n" + lines);
    }
}
