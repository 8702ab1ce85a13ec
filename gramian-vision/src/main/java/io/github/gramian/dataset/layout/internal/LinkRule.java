package io.github.gramian.dataset.layout.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which symbolic links below a folder are followed. A link to a file or folder elsewhere is: people collect photographs from
 * other places in this way. A link is not followed if it leads to the folder itself, to a folder above it, into another
 * folder of images of the same dataset, or to a folder above such a one: it would bring in images of other classes.
 */
final class LinkRule {

    private final Path own;
    private final List<Path> others;

    private LinkRule(Path own, List<Path> others) {
        this.own = own;
        this.others = others;
    }

    /**
     * For one of a dataset's folders.
     *
     * @param all all folders of images of the dataset, with or without this one
     */
    static LinkRule of(Path folder, List<Path> all) {
        Path own = real(folder).orElse(folder);
        return new LinkRule(
                own,
                all.stream()
                        .flatMap(other -> real(other).stream())
                        .filter(other -> !other.equals(own))
                        .toList());
    }

    /** Whether to follow this file or folder; true for anything but a link, and for a link to nowhere. */
    boolean follows(Path entry) {
        if (!Files.isSymbolicLink(entry)) {
            return true;
        }
        Optional<Path> found = real(entry);
        if (found.isEmpty()) {
            return true;
        }
        Path target = found.get();
        if (own.startsWith(target)) {
            return false;
        }
        return target.startsWith(own)
                || others.stream().noneMatch(other -> target.startsWith(other) || other.startsWith(target));
    }

    private static Optional<Path> real(Path path) {
        try {
            return Optional.of(path.toRealPath());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
