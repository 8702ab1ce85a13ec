package io.github.gramian.io.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Atomic file writes: a file is either the old one or the complete new one, whatever happens in between. The content goes
 * to a temporary file in the same folder, is forced to the disk, and takes the target's name in one step.
 *
 * <p>What a killed process left half-written is removed when something is written into the same folder the next time. A
 * writer holds a lock on its temporary file, which ends with its process, so that the file of a running writer is never
 * removed.
 */
public final class AtomicFile {

    /** Names the temporary files of this process, whose locks it must not try: closing such a file would lose its lock. */
    private static final String PROCESS = token();

    private static final Pattern TEMPORARY = Pattern.compile("\\..+\\.([0-9a-f]{16})\\.[0-9a-f]{16}\\.tmp");

    private AtomicFile() {}

    private static String token() {
        return HexFormat.of().toHexDigits(UUID.randomUUID().getMostSignificantBits());
    }

    /** What writes the content. */
    @FunctionalInterface
    public interface Content {
        void writeTo(FileChannel channel) throws IOException;
    }

    /** Replaces the target by new content; on failure the target is untouched and nothing is left behind. */
    public static void write(Path target, Content content) throws IOException {
        Path absolute = target.toAbsolutePath();
        Path folder = absolute.getParent();
        if (folder == null) {
            throw new IOException(target + " is a root folder; name a file");
        }
        Files.createDirectories(folder);
        removeLeftovers(folder);
        Path temporary = folder.resolve("." + absolute.getFileName() + "." + PROCESS + "." + token() + ".tmp");
        try {
            // Not Java's own temporary files: those nobody else may read, whatever the user's settings say.
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
                lock(channel);
                content.writeTo(channel);
                channel.force(true);
                publish(temporary, absolute); // while the lock is held
            }
        } catch (IOException failure) {
            throw named(failure, temporary, target);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** False for a file that somebody else has locked, or where there are no locks. */
    private static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException | OverlappingFileLockException unsupported) {
            return false;
        }
    }

    /** Removes the temporary files of processes that have ended. */
    private static void removeLeftovers(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, ".*.tmp")) {
            for (Path file : files) {
                Matcher name = TEMPORARY.matcher(file.getFileName().toString());
                if (name.matches() && !PROCESS.equals(name.group(1))) {
                    removeIfLeft(file);
                }
            }
        } catch (IOException | DirectoryIteratorException unlisted) {
            // The folder may be writable but not listable; then others must clean up.
        }
    }

    private static void removeIfLeft(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (channel.size() > 0 && lock(channel)) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException | AccessDeniedException gone) {
            // It became a file meanwhile, or belongs to somebody else.
        }
    }

    /** Says which file could not be written: a full disk does not tell, and the temporary file means nothing to users. */
    private static IOException named(IOException failure, Path temporary, Path target) {
        if (failure instanceof AccessDeniedException denied
                && temporary.toString().equals(denied.getFile())) {
            return new AccessDeniedException(target.toString(), null, denied.getReason());
        }
        if (failure.getClass() != IOException.class) {
            return failure;
        }
        IOException named = new FileSystemException(target.toString(), null, failure.getMessage());
        named.initCause(failure);
        return named;
    }

    /** Replaces the target by a text in UTF-8. */
    public static void writeText(Path target, String text) throws IOException {
        write(target, channel -> {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        });
    }

    /** Gives a complete file its final name in one step and syncs the folder. Both are on one disk. */
    public static void publish(Path complete, Path target) throws IOException {
        Files.move(complete, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(target.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (IOException foldersCannotBeOpenedHere) {
            // Windows: the move itself is durable enough there, and there is no other way.
        }
    }
}
