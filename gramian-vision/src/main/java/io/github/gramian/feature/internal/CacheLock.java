package io.github.gramian.feature.internal;

import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The right to fill the folder of a recipe, which one run has at a time; any number of processes may read meanwhile. */
final class CacheLock implements AutoCloseable {

    private final FileChannel channel;
    private final FileLock lock;

    private CacheLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Makes the folder if need be, and takes the lock.
     *
     * @param missing images that wait for their features, for the message if the folder cannot be written
     * @throws CacheException if another run has it
     */
    static CacheLock take(Path folder, int missing) throws IOException {
        FileChannel channel = open(folder, missing);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return new CacheLock(channel, lock);
            }
        } catch (OverlappingFileLockException e) {
            // falls through to the same advice
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
        channel.close();
        throw new CacheException("another process is filling " + folder + "; wait for it or stop it");
    }

    private static FileChannel open(Path folder, int missing) throws IOException {
        try {
            AtomicFile.makeFolder(folder);
            return FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (FileSystemException e) {
            throw new CacheException(
                    "the features of " + missing + " images are missing and cannot be stored in " + folder
                            + (e.getReason() == null ? "" : " (" + e.getReason() + ")")
                            + "; choose a directory for features that may be written",
                    e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            lock.release();
        } finally {
            channel.close();
        }
    }
}
