package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.io.internal.FileNames;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Folders of images. Only the name counts: a broken link, a text file or an empty file called {@code x.jpg} is listed as
 * an image, so that the decoder can report what is wrong with it. For the same reason, a folder that cannot be opened is listed.
 */
final class ImageTree {

    private static final Set<String> ENDINGS = Set.of(
            "jpg", "jpeg", "jpe", "jfif", "png", "webp", "bmp", "tif", "tiff", "gif", "heic", "heif", "hif", "avif");

    private static final int DEEPEST = 16;

    /** Images and other files below a folder, as paths relative to the root with forward slashes, sorted. */
    record Found(List<String> images, List<String> others) {}

    private ImageTree() {}

    /** The visible folders directly inside a folder, sorted by name; none if it is not a folder or cannot be opened. */
    static List<Path> folders(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(Files::isDirectory)
                    .filter(entry -> !hidden(entry))
                    .sorted((one, other) -> name(one).compareTo(name(other)))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Names of the visible files directly inside a folder, unsorted; none if it is not a folder. */
    static List<String> files(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> !Files.isDirectory(entry) && !hidden(entry))
                    .map(ImageTree::name)
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * Everything below a folder; hidden files are ignored. Links that are not followed are among the others.
     *
     * @param links which links to follow
     */
    static Found below(Path root, Path folder, LinkRule links) {
        VisibleFiles files = new VisibleFiles(folder, links, false);
        files.walk();
        return new Found(relative(root, files.images), relative(root, files.others));
    }

    /**
     * Whether a folder holds at least one image at any depth. A folder that cannot be opened is taken to hold some: a class
     * that is silently left out would be worse than one that is reported as empty.
     */
    static boolean holdsImages(Path folder) {
        if (!Files.isReadable(folder)) {
            return true;
        }
        VisibleFiles files = new VisibleFiles(folder, LinkRule.of(folder, List.of()), true);
        files.walk();
        return !files.images.isEmpty();
    }

    /** Goes through a folder without its hidden files and folders. Follows links, but none that leads back to a folder above. */
    private static final class VisibleFiles extends SimpleFileVisitor<Path> {

        private final Path start;
        private final LinkRule links;
        private final boolean onlyFirst;

        /** Images, and folders that cannot be opened or lie too deep. */
        private final List<Path> images = new ArrayList<>();

        /** Other files, and links that are not followed. */
        private final List<Path> others = new ArrayList<>();

        /** @param onlyFirst whether to stop at the first image */
        VisibleFiles(Path start, LinkRule links, boolean onlyFirst) {
            this.start = start;
            this.links = links;
            this.onlyFirst = onlyFirst;
        }

        void walk() {
            try {
                Files.walkFileTree(start, EnumSet.of(FileVisitOption.FOLLOW_LINKS), DEEPEST, this);
            } catch (IOException e) {
                throw new DatasetException("cannot read the directory " + start + "; check its permissions", e);
            }
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (folder.equals(start)) {
                return FileVisitResult.CONTINUE;
            }
            if (hidden(folder)) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            if (!links.follows(folder)) {
                others.add(folder);
                return FileVisitResult.SKIP_SUBTREE;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (hidden(file)) {
                return FileVisitResult.CONTINUE;
            }
            // A broken link without an ending may have led to a directory.
            boolean brokenLink = attributes.isSymbolicLink() && !name(file).contains(".");
            if (!links.follows(file)) {
                others.add(file);
            } else if (attributes.isDirectory() || brokenLink || isImage(file)) {
                images.add(file);
            } else {
                others.add(file);
            }
            return onlyFirst && !images.isEmpty() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path entry, IOException reason) throws IOException {
            if (entry.equals(start)) {
                throw reason;
            }
            if (reason instanceof FileSystemLoopException) {
                others.add(entry);
            } else if (!hidden(entry)) {
                images.add(entry);
            }
            return FileVisitResult.CONTINUE;
        }
    }

    static boolean isImage(Path file) {
        String name = name(file);
        int dot = name.lastIndexOf('.');
        return dot > 0 && ENDINGS.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT));
    }

    private static List<String> relative(Path root, List<Path> files) {
        String separator = root.getFileSystem().getSeparator();
        return files.stream()
                .map(file -> FileNames.text(root.relativize(file)).replace(separator, "/"))
                .sorted()
                .toList();
    }

    static String name(Path path) {
        Path last = path.getFileName();
        return last == null ? "" : FileNames.text(last);
    }

    /** Only the administrator may open {@code lost+found}, which is at the top of many disks and holds no photographs of users. */
    private static boolean hidden(Path entry) {
        return name(entry).startsWith(".") || name(entry).equals("lost+found");
    }

    /**
     * Which symbolic links below a folder are followed. A link to a file or folder elsewhere is: people collect photographs from
     * other places in this way. A link is not followed if it leads to the folder itself, to a folder above it, into another
     * folder of images of the same dataset, or to a folder above such a one: it would bring in images of other classes.
     */
    static final class LinkRule {

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
}
