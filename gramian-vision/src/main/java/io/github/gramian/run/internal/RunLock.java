package io.github.gramian.run.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.run.RunInUseException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a run folder: only one training at a time may write to it. The system releases it when the process ends,
 * however it ends; the lock file names the process that holds it, and is not deleted.
 */
public final class RunLock implements AutoCloseable {

    /** The locked position: after the string, which other processes must be able to read. */
    private static final long PLACE = Long.MAX_VALUE - 1;

    private static final int LONGEST_TEXT = 300;

    private final RunFolder folder;
    private final boolean madeFolder;
    private final FileChannel channel;

    private RunLock(RunFolder folder, boolean madeFolder, FileChannel channel) {
        this.folder = folder;
        this.madeFolder = madeFolder;
        this.channel = channel;
    }

    /**
     * Takes it; makes the folder if there is none.
     *
     * @throws RunInUseException if another training has it
     */
    public static RunLock take(RunFolder folder) throws IOException {
        boolean make = !Files.exists(folder.path());
        AtomicFile.makeFolder(folder.path());
        FileChannel channel = FileChannel.open(
                folder.lock(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (lock(channel) == null) {
                throw new RunInUseException(folder.path(), text(channel));
            }
            note(channel);
        } catch (IOException failure) {
            channel.close();
            throw AtomicFile.named(failure, folder.lock());
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
        return new RunLock(folder, make, channel);
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock(PLACE, 1, false);
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static String text(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST_TEXT);
        int read = channel.read(bytes, 0);
        String text = new String(bytes.array(), 0, Math.max(0, read), StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "another process" : text;
    }

    private static void note(FileChannel channel) throws IOException {
        String text = "process " + ProcessHandle.current().pid() + " on " + machine() + " since "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS);
        channel.truncate(0);
        channel.write(ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8)), 0);
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "a machine without a name";
        }
    }

    /** Removes the folder again if no run was started in it. */
    @Override
    public void close() throws IOException {
        try (channel) {
            forget();
            if (!Files.exists(folder.recipe())) {
                Files.deleteIfExists(folder.lock());
                if (madeFolder) {
                    deleteIfEmpty();
                }
            }
        } catch (IOException failure) {
            throw AtomicFile.named(failure, folder.lock());
        }
    }

    /** The string only names the process that holds the lock; the lock itself ends with the channel. */
    private void forget() {
        try {
            channel.truncate(0);
        } catch (IOException e) {
            // Nobody reads it while nobody holds the lock.
        }
    }

    private void deleteIfEmpty() throws IOException {
        try {
            Files.deleteIfExists(folder.path());
        } catch (DirectoryNotEmptyException e) {
            // Another process has put something there meanwhile.
        }
    }
}
