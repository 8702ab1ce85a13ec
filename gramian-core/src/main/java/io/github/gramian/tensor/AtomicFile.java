package io.github.gramian.tensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Files that are either the old ones or the complete new ones, whatever happens in between: the content goes to a
 * temporary file in the same folder, is forced to the disk, and takes the target's name in one step.
 */
public final class AtomicFile {

    private AtomicFile() {}

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
        // Not Java's own temporary files: those nobody else may read, whatever the user's settings say.
        Path temporary = folder.resolve("." + absolute.getFileName() + UUID.randomUUID() + ".tmp");
        try {
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
                content.writeTo(channel);
                channel.force(true);
            }
            publish(temporary, absolute);
        } catch (IOException failure) {
            throw named(failure, temporary, target);
        } finally {
            Files.deleteIfExists(temporary);
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

    /** Gives a complete file its final name in one step and makes the folder remember it. Both lie in one folder. */
    public static void publish(Path complete, Path target) throws IOException {
        Files.move(complete, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(complete.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (IOException foldersCannotBeOpenedHere) {
            // Windows: the move itself is durable enough there, and there is no other way.
        }
    }
}
