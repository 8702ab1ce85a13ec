package io.github.gramian.cli.common;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder that is deleted with its content. */
public final class TemporaryFolder implements AutoCloseable {

    private static final String LOCK = "lock";

    private final Path path;
    private final @Nullable FileChannel lock;

    private TemporaryFolder(Path path, @Nullable FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** One in the system's place for them. */
    public static TemporaryFolder create() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("gramian"), null);
    }

    /**
     * One beside a file that is made in it, on its disk. Every process takes the same folder for the same file, so that what
     * a killed one left there goes when the file is made the next time; while another still works in it, it is refused.
     */
    public static TemporaryFolder beside(Path target) throws IOException {
        Path absolute = target.toAbsolutePath();
        Path path = Files.createDirectories(absolute.resolveSibling("." + absolute.getFileName() + ".tmp"));
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
        } catch (OverlappingFileLockException inThisProcess) {
            return true;
        } catch (IOException unsupported) {
            return false;
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
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
