package io.github.gramian.io.internal;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file that is complete on the disk and waits for its name, under a temporary one in the same folder. It is locked until it is
 * closed, so that other processes, which remove what was left by those that have ended, leave it alone. Content for a device or
 * a pipe waits in the system's temporary directory.
 */
final class PendingFile implements Closeable {

    /** Names the temporary files of this process, whose locks it must not try: closing such a file would lose its lock. */
    private static final String PROCESS = token();

    private static final Pattern TEMPORARY = Pattern.compile("\\..+\\.([0-9a-f]{16})\\.[0-9a-f]{16}\\.tmp");

    /** Characters of the target's name in a temporary one: with four bytes each, a name has at most 255 bytes. */
    private static final int MAX_START = 50;

    /** Longer than a writer takes from making a file to locking it. */
    private static final Duration MOMENT = Duration.ofMinutes(1);

    private final Path given;
    private final Path target;
    private final Path temporary;
    private final FileChannel channel;
    private boolean published;

    private PendingFile(Path given, Path target, Path temporary, FileChannel channel) {
        this.given = given;
        this.target = target;
        this.temporary = temporary;
        this.channel = channel;
    }

    private static String token() {
        return HexFormat.of().toHexDigits(UUID.randomUUID().getMostSignificantBits());
    }

    /** Writes content and forces it to the disk; on failure no file remains. */
    static PendingFile write(Path given, AtomicFile.Content content) throws IOException {
        Path target = AtomicFile.target(given);
        PendingFile file = AtomicFile.isStream(target) ? forStream(given, target) : nextTo(given, target);
        try {
            lock(file.channel);
            content.writeTo(file.channel);
            file.channel.force(true);
            return file;
        } catch (IOException failure) {
            throw file.discarded(file.named(failure));
        } catch (UncheckedIOException failure) {
            throw file.discarded(file.named(Objects.requireNonNull(failure.getCause())));
        } catch (RuntimeException failure) {
            throw file.discarded(failure);
        } catch (Error failure) {
            throw file.discarded(failure);
        }
    }

    private static PendingFile forStream(Path given, Path target) throws IOException {
        Path temporary = Files.createTempFile("gramian-", ".tmp");
        return new PendingFile(given, target, temporary, FileChannel.open(temporary, StandardOpenOption.WRITE));
    }

    private static PendingFile nextTo(Path given, Path target) throws IOException {
        Path folder = target.getParent();
        if (folder == null) {
            throw new IOException(given + " is a root directory; name a file");
        }
        AtomicFile.makeFolder(folder);
        removeLeftovers(folder);
        Path temporary = folder.resolve(temporaryName(String.valueOf(target.getFileName())));
        try {
            // Not Java's own temporary files: nobody else may read those, whatever the user's settings are.
            return new PendingFile(
                    given,
                    target,
                    temporary,
                    FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        } catch (IOException failure) {
            throw named(failure, temporary, given);
        }
    }

    /** Systems limit the length of a name, so that of a long one is cut. */
    private static String temporaryName(String name) {
        String start = name.substring(0, Math.min(name.length(), MAX_START));
        // A name must not end with half of a character.
        int end = Character.isHighSurrogate(start.charAt(start.length() - 1)) ? start.length() - 1 : start.length();
        return "." + start.substring(0, end) + "." + PROCESS + "." + token() + ".tmp";
    }

    /** Closes and removes it; if that fails as well, the first failure is still the one to report. */
    private <T extends Throwable> T discarded(T failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    /** Removes the file that has the name now. */
    void removeOld() throws IOException {
        if (!AtomicFile.isStream(target)) {
            Files.deleteIfExists(target);
        }
    }

    /** Gives it its name. */
    void publish() throws IOException {
        try {
            AtomicFile.publish(temporary, target);
            published = true;
        } catch (IOException failure) {
            throw named(failure);
        }
    }

    /** Closes it, and removes it if it has got no name. */
    @Override
    public void close() throws IOException {
        try (channel) {
            Files.deleteIfExists(temporary);
        } catch (IOException failure) {
            // A file that is forced to the disk and has its name is complete. An error here would make the caller
            // repeat the work or abandon it.
            if (!published) {
                throw named(failure);
            }
        }
    }

    private IOException named(IOException failure) {
        return named(failure, temporary, given);
    }

    /** False for a file that somebody else has locked, or where there are no locks. */
    private static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException | OverlappingFileLockException e) {
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
        } catch (IOException | DirectoryIteratorException e) {
            // The folder may be writable but not listable; then others must clean up.
        }
    }

    private static void removeIfLeft(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            // An empty file may have been made a moment ago and not be locked yet, or be left by a loss of power.
            Instant past = Instant.now().minus(MOMENT);
            boolean started = channel.size() > 0
                    || Files.getLastModifiedTime(file).toInstant().isBefore(past);
            if (started && lock(channel)) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException | AccessDeniedException e) {
            // It became a file meanwhile, or belongs to somebody else.
        }
    }

    /** Names the file that could not be written: the temporary file means nothing to users. */
    private static IOException named(IOException failure, Path temporary, Path target) {
        if (failure instanceof FileSystemException place && temporary.toString().equals(place.getFile())) {
            IOException named = failure instanceof AccessDeniedException
                    ? new AccessDeniedException(target.toString(), null, place.getReason())
                    : new FileSystemException(target.toString(), null, place.getReason());
            named.initCause(failure);
            return named;
        }
        return AtomicFile.named(failure, target);
    }
}
