package io.github.gramian.dataset.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Image formats that Gramian does not read, such as raw formats of cameras, recognised by the names of files. */
public final class UnreadFormats {

    private static final Set<String> ENDINGS = Set.of(
            "3fr", "arw", "cr2", "cr3", "dng", "erf", "nef", "nrw", "orf", "pef", "raf", "raw", "rw2", "sr2", "srw",
            "x3f", // raw formats of cameras
            "j2k", "jp2", "jpf", "jpx", "jxl", "jxr", // JPEG 2000, JPEG XL and JPEG XR
            "dcm", "eps", "exr", "hdr", "ico", "pbm", "pgm", "pnm", "ppm", "psb", "psd", "svg", "tga", "xcf");

    private UnreadFormats() {}

    /** One line with the number of such files by ending; empty if there are none. */
    public static Optional<String> sentence(Collection<String> files) {
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
