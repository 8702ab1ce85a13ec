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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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
        List<String> images = new ArrayList<>();
        List<String> others = new ArrayList<>();
        walk(new VisibleFiles(folder, links) {
            @Override
            boolean found(Path file) {
                (isImage(file) ? images : others).add(relative(root, file));
                return true;
            }

            @Override
            void notFollowed(Path link) {
                others.add(relative(root, link));
            }

            @Override
            void unreadable(Path entry) {
                images.add(relative(root, entry));
            }
        });
        images.sort(null);
        others.sort(null);
        return new Found(List.copyOf(images), List.copyOf(others));
    }

    /**
     * Whether a folder holds at least one image at any depth. A folder that cannot be opened is taken to hold some: a class
     * that is silently left out would be worse than one that is reported as empty.
     */
    static boolean holdsImages(Path folder) {
        if (!Files.isReadable(folder)) {
            return true;
        }
        AtomicBoolean some = new AtomicBoolean();
        walk(new VisibleFiles(folder, LinkRule.of(folder, List.of())) {
            @Override
            boolean found(Path file) {
                some.compareAndSet(false, isImage(file));
                return !some.get();
            }

            @Override
            @SuppressWarnings("UnusedVariable") // its images do not count
            void notFollowed(Path link) {}

            @Override
            @SuppressWarnings("UnusedVariable") // as a file that cannot be read
            void unreadable(Path entry) {
                some.set(true);
            }
        });
        return some.get();
    }

    /** Goes through a folder without its hidden files and folders. */
    private abstract static class VisibleFiles extends SimpleFileVisitor<Path> {

        private final Path start;
        private final LinkRule links;

        VisibleFiles(Path start, LinkRule links) {
            this.start = start;
            this.links = links;
        }

        /** Whether to continue after this file. */
        abstract boolean found(Path file);

        /** A visible link that is not followed. */
        abstract void notFollowed(Path link);

        /** A visible folder that cannot be opened or lies too deep, or a link to one that is gone. */
        abstract void unreadable(Path entry);

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (folder.equals(start)) {
                return FileVisitResult.CONTINUE;
            }
            if (hidden(folder)) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            if (!links.follows(folder)) {
                notFollowed(folder);
                return FileVisitResult.SKIP_SUBTREE;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (!hidden(file) && !links.follows(file)) {
                notFollowed(file);
                return FileVisitResult.CONTINUE;
            }
            // A broken link without an ending may have led to a directory.
            boolean brokenLink = attributes.isSymbolicLink() && !name(file).contains(".");
            if (!hidden(file) && (attributes.isDirectory() || brokenLink)) {
                unreadable(file);
                return FileVisitResult.CONTINUE;
            }
            return hidden(file) || found(file) ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path entry, IOException reason) throws IOException {
            if (entry.equals(start)) {
                throw reason;
            }
            if (reason instanceof FileSystemLoopException) {
                notFollowed(entry);
            } else if (!hidden(entry)) {
                unreadable(entry);
            }
            return FileVisitResult.CONTINUE;
        }
    }

    /** Follows links, but none that leads back to a folder it comes from. */
    private static void walk(VisibleFiles visitor) {
        try {
            Files.walkFileTree(visitor.start, EnumSet.of(FileVisitOption.FOLLOW_LINKS), DEEPEST, visitor);
        } catch (IOException e) {
            throw new DatasetException("cannot read the directory " + visitor.start + "; check its permissions", e);
        }
    }

    static boolean isImage(Path file) {
        String name = name(file);
        int dot = name.lastIndexOf('.');
        return dot > 0 && ENDINGS.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT));
    }

    static String relative(Path root, Path file) {
        String separator = root.getFileSystem().getSeparator();
        return FileNames.text(root.relativize(file)).replace(separator, "/");
    }

    static String name(Path path) {
        Path last = path.getFileName();
        return last == null ? "" : FileNames.text(last);
    }

    /** Only the administrator may open {@code lost+found}, which is at the top of many disks and holds no photographs of users. */
    private static boolean hidden(Path entry) {
        return name(entry).startsWith(".") || name(entry).equals("lost+found");
    }
}
