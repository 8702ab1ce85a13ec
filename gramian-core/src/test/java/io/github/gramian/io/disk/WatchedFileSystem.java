package io.github.gramian.io.disk;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Set;
import java.util.stream.StreamSupport;

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
}
