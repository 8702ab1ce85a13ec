package io.github.gramian.io.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for work files; closing it deletes it with its content. */
public final class TemporaryFolder implements AutoCloseable {

    private static final String LOCK = "lock";
    private static final String PREFIX = "gramian-work-";

    private final Path path;
    private final FileChannel lock;

    private TemporaryFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Creates one in the system's temporary directory and deletes those that killed processes of this user have left. */
    public static TemporaryFolder create() throws IOException {
        return in(Path.of(System.getProperty("java.io.tmpdir", "")));
    }

    static TemporaryFolder in(Path place) throws IOException {
        String own = PREFIX + ProcessHandle.current().pid() + "-";
        Path path = Files.createTempDirectory(place, own);
        FileChannel channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        isTaken(channel); // by this one, from now on
        channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
        try (DirectoryStream<Path> others = Files.newDirectoryStream(place, PREFIX + "*")) {
            for (Path other : others) {
                // Closing a second channel to a file of this process would end its lock.
                if (!other.getFileName().toString().startsWith(own)) {
                    removeIfLeft(other, path);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // They do no harm; the next one tries again.
        }
        return new TemporaryFolder(path, channel);
    }

    /** Only a folder that no other user can have changed. An empty lock is that of a process which is about to take it. */
    private static void removeIfLeft(Path folder, Path own) throws IOException {
        Path lock = folder.resolve(LOCK);
        if (!isPrivate(folder, own) || !Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS) || Files.size(lock) == 0) {
            return;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
            if (!isTaken(channel)) {
                delete(folder, false);
            }
        }
    }

    private static boolean isPrivate(Path folder, Path own) throws IOException {
        try {
            return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    && Files.readAttributes(folder, "posix:owner,permissions", LinkOption.NOFOLLOW_LINKS)
                            .equals(Files.readAttributes(own, "posix:owner,permissions", LinkOption.NOFOLLOW_LINKS));
        } catch (UnsupportedOperationException e) {
            return true; // where each user has a separate temporary folder
        }
    }

    /**
     * One next to a file that is made in it, on its disk. Every process takes the same folder for the same file, so that what
     * a killed one left there goes when the file is made the next time; while another still works in it, it is refused. What is made
     * for a device or a pipe lies in the system's temporary directory.
     */
    public static TemporaryFolder nextTo(Path target) throws IOException {
        Path file = AtomicFile.target(target);
        if (AtomicFile.isStream(file)) {
            return create();
        }
        Path path = file.resolveSibling("." + file.getFileName() + ".tmp");
        AtomicFile.makeFolder(path);
        FileChannel channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (isTaken(channel)) {
            channel.close();
            throw new IOException("another process is writing " + target + "; wait for it, or name another file");
        }
        delete(path, true);
        return new TemporaryFolder(path, channel);
    }

    /** A lock ends with its process. Where the disk has no locks, nobody is known to work there. */
    private static boolean isTaken(FileChannel channel) {
        try {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        lock.close();
        delete(path, false);
    }

    private static void delete(Path folder, boolean onlyContent) throws IOException {
        List<Path> everything;
        try (Stream<Path> below = Files.walk(folder)) {
            everything = below.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path one : everything) {
            if (!onlyContent || !(one.equals(folder) || one.equals(folder.resolve(LOCK)))) {
                Files.deleteIfExists(one);
            }
        }
    }
}
