package io.github.gramian.io.disk;

import io.github.gramian.io.disk.WatchedDisk.Change;
import io.github.gramian.io.disk.WatchedDisk.Change.Fault;
import io.github.gramian.io.disk.WatchedDisk.Change.Kind;
import io.github.gramian.io.disk.WatchedDisk.Change.Witness;
import io.github.gramian.io.disk.WatchedFileSystem.WatchedPath;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The machine's disk with a witness. The witness is notified before and after every call that changes a file below one
 * folder, and it may make the call fail. A JVM that is started with {@link #OPTION} has no other disk, so that whole commands
 * run on it as they are. Calls that bypass {@code java.nio.file} are not seen: memory maps are therefore read-only here, and
 * {@code java.io} is used for nothing that must last.
 */
public final class WatchedDisk extends FileSystemProvider {

    /** Makes it the disk of a JVM. */
    public static final String OPTION = "-Djava.nio.file.spi.DefaultFileSystemProvider=" + WatchedDisk.class.getName();

    private final FileSystemProvider below;
    private final WatchedFileSystem fileSystem;
    private @Nullable Path watched;
    private @Nullable Witness witness;

    /** Called by the JDK. */
    public WatchedDisk(FileSystemProvider below) {
        this.below = below;
        this.fileSystem = new WatchedFileSystem(this, below.getFileSystem(URI.create("file:///")));
    }

    /** The disk of this JVM, which was started with {@link #OPTION}. */
    public static WatchedDisk current() {
        return (WatchedDisk) FileSystems.getDefault().provider();
    }

    /** From now on the witness sees what is done below a folder. */
    public synchronized void watch(Path folder, Witness by) {
        watched = below(folder).toAbsolutePath().normalize();
        witness = by;
    }

    /** Nobody sees anything any more. */
    public synchronized void unwatch() {
        witness = null;
    }

    synchronized @Nullable Fault before(Change change) {
        return sees(change) ? witness.before(change) : null;
    }

    synchronized void after(Change change) {
        if (sees(change)) {
            witness.after(change);
        }
    }

    private boolean sees(Change change) {
        return witness != null && watched != null && change.path().startsWith(watched);
    }

    /** For changes that are made completely or not at all. */
    void require(Change change) throws IOException {
        Fault fault = before(change);
        if (fault != null && fault.error() != null) {
            throw fault.error();
        }
    }

    static Path below(Path path) {
        return path instanceof WatchedPath here ? here.below() : path;
    }

    private static Path absolute(Path path) {
        return below(path).toAbsolutePath().normalize();
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        Path file = absolute(path);
        boolean writes = options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND);
        boolean makes = writes
                && (options.contains(StandardOpenOption.CREATE_NEW)
                        || options.contains(StandardOpenOption.TRUNCATE_EXISTING)
                        || (options.contains(StandardOpenOption.CREATE) && !Files.exists(file)));
        Change change = Change.of(Kind.CREATE, file);
        if (makes) {
            require(change);
        }
        FileChannel channel = below.newFileChannel(below(path), options, attributes);
        if (makes) {
            after(change);
        }
        return new WatchedChannel(
                channel, file, this, Files.isDirectory(file), options.contains(StandardOpenOption.APPEND));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public void createDirectory(Path folder, FileAttribute<?>... attributes) throws IOException {
        Change change = Change.of(Kind.MAKE_FOLDER, absolute(folder));
        if (!Files.exists(change.path())) {
            require(change);
        }
        below.createDirectory(below(folder), attributes);
        after(change);
    }

    @Override
    public void delete(Path path) throws IOException {
        Change change = Change.of(Kind.DELETE, absolute(path));
        if (Files.exists(change.path(), LinkOption.NOFOLLOW_LINKS)) {
            require(change);
        }
        below.delete(below(path));
        after(change);
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        Change change = new Change(Kind.MOVE, absolute(source), absolute(target), 0, null);
        require(change);
        below.move(below(source), below(target), options);
        after(change);
    }

    // All further calls are passed on.

    @Override
    public String getScheme() {
        return below.getScheme();
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
        return below.newFileSystem(uri, environment);
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return fileSystem;
    }

    @Override
    public Path getPath(URI uri) {
        return fileSystem.path(below.getPath(uri));
    }

    @Override
    public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        return below.newInputStream(below(path), options);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path folder, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        DirectoryStream<Path> found =
                below.newDirectoryStream(below(folder), path -> filter.accept(fileSystem.path(path)));
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                Iterator<Path> paths = found.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return paths.hasNext();
                    }

                    @Override
                    public Path next() {
                        return fileSystem.path(paths.next());
                    }
                };
            }

            @Override
            public void close() throws IOException {
                found.close();
            }
        };
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        below.copy(below(source), below(target), options);
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        below.createSymbolicLink(below(link), below(target), attributes);
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        return fileSystem.path(below.readSymbolicLink(below(link)));
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return below.isSameFile(below(one), below(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return below.isHidden(below(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return below.getFileStore(below(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        below.checkAccess(below(path), modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return below.getFileAttributeView(below(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return below.readAttributes(below(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return below.readAttributes(below(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        below.setAttribute(below(path), attribute, value, options);
    }

    /**
     * One call that changes a disk, or makes a change last.
     *
     * @param kind what is done
     * @param path to which file or folder, by its absolute name on the disk below
     * @param target the new name of a file that is moved
     * @param position where bytes are written; where a file is cut off
     * @param bytes that are written
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored by the disk
    public record Change(Kind kind, Path path, @Nullable Path target, long position, byte @Nullable [] bytes) {

        /** The calls that are seen. */
        public enum Kind {
            /** A file is made, or emptied, by opening it. */
            CREATE,
            WRITE,
            TRUNCATE,
            /** The bytes of a file are made to last. */
            FORCE,
            /** The names in a folder are made to last. */
            FORCE_FOLDER,
            /** A file that was written is closed. */
            CLOSE,
            MOVE,
            DELETE,
            MAKE_FOLDER
        }

        static Change of(Kind kind, Path path) {
            return new Change(kind, path, null, 0, null);
        }

        /**
         * How a call goes wrong.
         *
         * @param half the first half of the bytes is written before
         * @param error that is thrown; null for a write that is short and returns its true length
         */
        public record Fault(boolean half, @Nullable IOException error) {}

        /** Is notified of every change, before and after it is made. */
        public interface Witness {

            /** Before a change: how it goes wrong, or null if it does not. */
            @Nullable
            Fault before(Change change);

            /** A change was made, as it is reported here: a short write with the bytes that were written. */
            default void after(Change change) {}
        }

        @Override
        public String toString() {
            return kind + " " + path.getFileName() + (target == null ? "" : " to " + target.getFileName());
        }
    }

    /** An open file or folder whose writes, syncs and end are seen and may fail. */
    static final class WatchedChannel extends FileChannel {

        private final FileChannel below;
        private final Path path;
        private final WatchedDisk disk;
        private final boolean folder;
        private final boolean appends;
        private boolean written;

        WatchedChannel(FileChannel below, Path path, WatchedDisk disk, boolean folder, boolean appends) {
            this.below = below;
            this.path = path;
            this.disk = disk;
            this.folder = folder;
            this.appends = appends;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            long at = appends ? below.size() : below.position();
            int count = write(source, at);
            if (!appends) {
                below.position(at + count);
            }
            return count;
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            byte[] bytes = new byte[source.remaining()];
            source.duplicate().get(bytes);
            written = true;
            Fault fault = disk.before(new Change(Kind.WRITE, path, null, position, bytes));
            int count = fault == null ? bytes.length : fault.half() ? bytes.length / 2 : 0;
            ByteBuffer part = ByteBuffer.wrap(bytes, 0, count);
            for (long at = position; part.hasRemaining(); ) {
                // The position of a file that is only appended to is where it ends.
                at += appends ? below.write(part) : below.write(part, at);
            }
            if (count > 0) {
                disk.after(new Change(Kind.WRITE, path, null, position, java.util.Arrays.copyOf(bytes, count)));
            }
            if (fault != null && fault.error() != null) {
                throw fault.error();
            }
            source.position(source.position() + count);
            return count;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
            long count = 0;
            for (int i = offset; i < offset + length; i++) {
                while (sources[i].hasRemaining()) {
                    count += write(sources[i]);
                }
            }
            return count;
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            written = true;
            Change change = new Change(Kind.TRUNCATE, path, null, size, null);
            disk.require(change);
            below.truncate(size);
            disk.after(change);
            return this;
        }

        @Override
        public void force(boolean metaData) throws IOException {
            Change change = Change.of(folder ? Kind.FORCE_FOLDER : Kind.FORCE, path);
            disk.require(change);
            disk.after(change);
            // The disk below is not forced: the tests lose no power, and would only wait.
        }

        @Override
        protected void implCloseChannel() throws IOException {
            below.close();
            if (written) {
                Change change = Change.of(Kind.CLOSE, path);
                disk.require(change);
                disk.after(change);
            }
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(count, 1 << 20));
            if (source.read(bytes) < 0) {
                return 0;
            }
            bytes.flip();
            return write(bytes, position);
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
            if (!mode.equals(MapMode.READ_ONLY)) {
                throw new UnsupportedOperationException(path + " is written through a mapping, which nobody sees");
            }
            return below.map(mode, position, size);
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            return below.read(target);
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
            return below.read(targets, offset, length);
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return below.read(target, position);
        }

        @Override
        public long position() throws IOException {
            return below.position();
        }

        @Override
        public FileChannel position(long position) throws IOException {
            below.position(position);
            return this;
        }

        @Override
        public long size() throws IOException {
            return below.size();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            return below.transferTo(position, count, target);
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) throws IOException {
            return below.lock(position, size, shared);
        }

        @Override
        public @Nullable FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return below.tryLock(position, size, shared);
        }
    }
}
