package io.github.gramian.io.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The file system of a {@link WatchedDisk}: names are those of the one below. */
final class WatchedFileSystem extends FileSystem {

    private final WatchedDisk disk;
    private final FileSystem below;

    WatchedFileSystem(WatchedDisk disk, FileSystem below) {
        this.disk = disk;
        this.below = below;
    }

    Path path(Path path) {
        return new WatchedPath(this, path);
    }

    @Override
    public FileSystemProvider provider() {
        return disk;
    }

    @Override
    public Path getPath(String first, String... more) {
        return path(below.getPath(first, more));
    }

    @Override
    public void close() throws IOException {
        below.close();
    }

    @Override
    public boolean isOpen() {
        return below.isOpen();
    }

    @Override
    public boolean isReadOnly() {
        return below.isReadOnly();
    }

    @Override
    public String getSeparator() {
        return below.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return StreamSupport.stream(below.getRootDirectories().spliterator(), false)
                .map(this::path)
                .toList();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return below.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return below.supportedFileAttributeViews();
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        PathMatcher matcher = below.getPathMatcher(pattern);
        return path -> matcher.matches(WatchedDisk.below(path));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return below.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() throws IOException {
        return below.newWatchService();
    }

    /** A name on a {@link WatchedDisk}. */
    record WatchedPath(WatchedFileSystem fileSystem, Path below) implements Path {

        private Path here(Path path) {
            return fileSystem.path(path);
        }

        private @Nullable Path hereOrNull(@Nullable Path path) {
            return path == null ? null : here(path);
        }

        private static Path there(Path other) {
            if (other instanceof WatchedPath path) {
                return path.below;
            }
            throw new ProviderMismatchException();
        }

        @Override
        public FileSystem getFileSystem() {
            return fileSystem;
        }

        @Override
        public boolean isAbsolute() {
            return below.isAbsolute();
        }

        @Override
        public @Nullable Path getRoot() {
            return hereOrNull(below.getRoot());
        }

        @Override
        public @Nullable Path getFileName() {
            return hereOrNull(below.getFileName());
        }

        @Override
        public @Nullable Path getParent() {
            return hereOrNull(below.getParent());
        }

        @Override
        public int getNameCount() {
            return below.getNameCount();
        }

        @Override
        public Path getName(int index) {
            return here(below.getName(index));
        }

        @Override
        public Path subpath(int begin, int end) {
            return here(below.subpath(begin, end));
        }

        @Override
        public boolean startsWith(Path other) {
            return other instanceof WatchedPath path && below.startsWith(path.below);
        }

        @Override
        public boolean endsWith(Path other) {
            return other instanceof WatchedPath path && below.endsWith(path.below);
        }

        @Override
        public Path normalize() {
            return here(below.normalize());
        }

        @Override
        public Path resolve(Path other) {
            return here(below.resolve(there(other)));
        }

        @Override
        public Path relativize(Path other) {
            return here(below.relativize(there(other)));
        }

        @Override
        public URI toUri() {
            return below.toUri();
        }

        @Override
        public Path toAbsolutePath() {
            return here(below.toAbsolutePath());
        }

        @Override
        public Path toRealPath(LinkOption... options) throws IOException {
            return here(below.toRealPath(options));
        }

        @Override
        public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
                throws IOException {
            return below.register(watcher, events, modifiers);
        }

        @Override
        public int compareTo(Path other) {
            return below.compareTo(there(other));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof WatchedPath path && below.equals(path.below);
        }

        @Override
        public int hashCode() {
            return below.hashCode();
        }

        @Override
        public String toString() {
            return below.toString();
        }
    }
}
