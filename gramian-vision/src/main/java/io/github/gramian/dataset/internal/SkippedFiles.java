package io.github.gramian.dataset.internal;

import io.github.gramian.io.internal.FileNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Sentences about files among the images that were not used: links that were not followed, formats that Gramian does not read. */
public final class SkippedFiles {

    /** Endings of image formats that are not read, such as raw formats of cameras. */
    private static final Set<String> ENDINGS = Set.of(
            "3fr", "arw", "cr2", "cr3", "dng", "erf", "nef", "nrw", "orf", "pef", "raf", "raw", "rw2", "sr2", "srw",
            "x3f", // raw formats of cameras
            "j2k", "jp2", "jpf", "jpx", "jxl", "jxr", // JPEG 2000, JPEG XL and JPEG XR
            "dcm", "eps", "exr", "hdr", "ico", "pbm", "pgm", "pnm", "ppm", "psb", "psd", "svg", "tga", "xcf");

    private SkippedFiles() {}

    /**
     * A sentence about the links among the files that a walk skipped; empty if there are none.
     *
     * @param root the folder that the paths start from
     */
    public static Optional<String> links(Path root, List<String> skipped) {
        List<String> links = skipped.stream()
                .filter(path -> Files.isSymbolicLink(FileNames.within(root, path)))
                .toList();
        if (links.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of((links.size() == 1 ? "1 link was" : links.size() + " links were")
                + " not followed, such as " + links.get(0)
                + ": Gramian follows no link to a directory above it or to another class");
    }

    /** One line with the number of files in formats that are not read, by ending; empty if there are none. */
    public static Optional<String> formats(Collection<String> files) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String file : files) {
            String ending = file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
            if (ENDINGS.contains(ending)) {
                counts.merge(ending, 1, Integer::sum);
            }
        }
        if (counts.isEmpty()) {
            return Optional.empty();
        }
        int total = counts.values().stream().mapToInt(Integer::intValue).sum();
        String byEnding = counts.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .map(entry -> entry.getValue() + " ." + entry.getKey())
                .collect(Collectors.joining(", "));
        return Optional.of(total + (total == 1 ? " file has an image format" : " files have image formats")
                + " that Gramian does not read (" + byEnding + "); convert them to JPEG or PNG to use them");
    }
}
