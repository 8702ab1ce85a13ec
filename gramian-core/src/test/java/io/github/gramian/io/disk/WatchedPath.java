package io.github.gramian.io.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

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
