package io.github.gramian.dataset.internal;

import io.github.gramian.io.internal.FileNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Symbolic links among the images that were not followed. */
public final class SkippedLinks {

    private SkippedLinks() {}

    /**
     * A sentence about the links among the files that a walk skipped; empty if there are none.
     *
     * @param root the folder that the paths start from
     */
    public static Optional<String> sentence(Path root, List<String> skipped) {
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
}
