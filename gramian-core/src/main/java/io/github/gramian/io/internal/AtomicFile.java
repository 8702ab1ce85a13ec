package io.github.gramian.io.internal;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Atomic file writes: a file is either the old one or the complete new one, whatever happens in between. The content goes
 * to a temporary file in the same folder, is forced to the disk, and takes the target's name in one step.
 *
 * <p>What a killed process left half-written is removed when something is written into the same folder the next time. A
 * writer holds a lock on its temporary file, which ends with its process, so that the file of a running writer is never
 * removed.
 *
 * <p>A symbolic link stays: the file that it leads to is replaced. A device or a pipe stays as well: it receives the content once
 * this is complete.
 */
public final class AtomicFile {

    /** As many as Linux follows. */
    private static final int MAX_LINKS = 40;

    private AtomicFile() {}

    @FunctionalInterface
    public interface Content {
        void writeTo(FileChannel channel) throws IOException;
    }

    /** Replaces the target by new content; on failure the target is untouched and no other file remains. */
    public static void write(Path target, Content content) throws IOException {
        try (PendingFile file = PendingFile.write(target, content)) {
            file.publish();
        }
    }

    /**
     * Replaces a file together with text files that describe it. All of them are complete on the disk before the first gets its name;
     * in between, the others are absent, never next to a file that they do not describe.
     *
     * @param others contents of the text files by their paths, requested after the content is written
     */
    public static void writeTogether(Path target, Content content, Supplier<Map<Path, String>> others)
            throws IOException {
        Deque<PendingFile> pending = new ArrayDeque<>();
        try (PendingFile file = PendingFile.write(target, content)) {
            for (Map.Entry<Path, String> other : others.get().entrySet()) {
                pending.add(PendingFile.write(other.getKey(), channel -> put(other.getValue(), channel)));
            }
            for (PendingFile other : pending) {
                other.removeOld();
            }
            file.publish();
            for (PendingFile other : pending) {
                other.publish();
            }
        } finally {
            while (!pending.isEmpty()) {
                pending.remove().close();
            }
        }
    }

    /**
     * Makes a folder and those above it that are missing. They last as what is written into them does: a disk that loses power
     * may forget a folder, with all that is in it, until the folder above was synced.
     */
    public static void makeFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return; // early releases of Java 17 take a link to a directory for a file
        }
        List<Path> missing = new ArrayList<>();
        for (Path one = folder.toAbsolutePath(); one != null && !Files.exists(one); one = one.getParent()) {
            missing.add(one);
        }
        Files.createDirectories(folder);
        for (Path made : missing) {
            sync(made.getParent());
        }
    }

    /** A failure that names its file, which the error of a full disk does not. */
    public static IOException named(IOException failure, Path file) {
        if (failure.getClass() != IOException.class) {
            return failure;
        }
        IOException named = new FileSystemException(file.toString(), null, failure.getMessage());
        named.initCause(failure);
        return named;
    }

    /** Replaces the target by a string in UTF-8. */
    public static void writeText(Path target, String text) throws IOException {
        writeBytes(target, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    public static void writeBytes(Path target, ByteBuffer bytes) throws IOException {
        write(target, channel -> put(bytes.duplicate(), channel));
    }

    /** Writes a string in UTF-8. */
    public static void put(String text, FileChannel channel) throws IOException {
        put(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), channel);
    }

    /** Writes all bytes, however few a disk takes at once. */
    public static void put(ByteBuffer bytes, FileChannel channel) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /**
     * Adds a string in UTF-8 to the end of a file, which is created if it does not exist, and forces it to the disk. On failure the file
     * has its old length again; a process that is killed may leave a part of the string.
     */
    public static void append(Path file, String text) throws IOException {
        boolean isNew = !Files.exists(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long end = channel.size();
            try {
                channel.position(end);
                put(text, channel);
                channel.force(true);
            } catch (IOException failure) {
                try {
                    channel.truncate(end);
                } catch (IOException e) {
                    failure.addSuppressed(e);
                }
                throw failure;
            }
        } catch (IOException failure) {
            throw named(failure, file);
        }
        if (isNew) {
            sync(file.toAbsolutePath().getParent());
        }
    }

    /**
     * Gives a complete file its final name in one step and syncs the folder. Both are on one disk. If the name is that of a device or a
     * pipe, the content is copied into it.
     */
    public static void publish(Path complete, Path target) throws IOException {
        Path place = target(target);
        if (isStream(place)) {
            try (OutputStream out = Files.newOutputStream(place, StandardOpenOption.WRITE)) {
                Files.copy(complete, out);
            }
            Files.delete(complete);
        } else {
            Files.move(complete, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            sync(place.getParent());
        }
    }

    /** The file that a path leads to, as an absolute path: the end of a symbolic link, which need not exist, or the path itself. */
    public static Path target(Path path) throws IOException {
        Path file = path.toAbsolutePath();
        // What /dev/stdout leads to may be a pipe, which no path names.
        for (int links = 0; Files.isSymbolicLink(file) && !isStream(file); links++) {
            if (links == MAX_LINKS) {
                throw new FileSystemException(path.toString(), null, "this symbolic link leads back to itself");
            }
            file = file.resolveSibling(Files.readSymbolicLink(file));
        }
        return file;
    }

    /** Whether a path leads to a device or a pipe, which takes bytes and cannot be replaced. */
    public static boolean isStream(Path path) {
        return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    /** Makes the names in a folder last. */
    public static void sync(@Nullable Path folder) {
        if (folder == null) {
            return; // the root is always there
        }
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Windows and some network disks: the move itself is durable enough there, and there is no other way.
        }
    }

    /**
     * A file that is complete on the disk and waits for its name, under a temporary one in the same folder. It is locked until it is
     * closed, so that other processes, which remove what was left by those that have ended, leave it alone. Content for a device or
     * a pipe waits in the system's temporary directory.
     */
    private static final class PendingFile implements Closeable {

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
        static PendingFile write(Path given, Content content) throws IOException {
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
            if (failure instanceof FileSystemException place
                    && temporary.toString().equals(place.getFile())) {
                IOException named = failure instanceof AccessDeniedException
                        ? new AccessDeniedException(target.toString(), null, place.getReason())
                        : new FileSystemException(target.toString(), null, place.getReason());
                named.initCause(failure);
                return named;
            }
            return AtomicFile.named(failure, target);
        }
    }
}
