package io.github.gramian.serve.inference.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;

/**
 * What is at a path: another stamp means that the file was changed or replaced. Links are followed. The file itself is neither
 * opened nor read, since that could block.
 *
 * @param key identity of the file, if the system reports it: a file that is renamed into place has another
 */
public record FileStamp(Kind kind, long size, FileTime changed, String key) {

    private static final FileStamp ABSENT = new FileStamp(Kind.ABSENT, 0, FileTime.fromMillis(0), "");

    /** Only regular files are read: a pipe or a device may block for ever, or never end. */
    public enum Kind {
        REGULAR,
        OTHER,
        ABSENT
    }

    public static FileStamp of(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileStamp(
                    attributes.isRegularFile() ? Kind.REGULAR : Kind.OTHER,
                    attributes.size(),
                    attributes.lastModifiedTime(),
                    Objects.toString(attributes.fileKey(), ""));
        } catch (IOException e) {
            return ABSENT;
        }
    }

    /** The stamp of a file that may be read: a regular file of at most this size. */
    public static FileStamp readable(Path file, long maxBytes) throws IOException {
        FileStamp stamp = of(file);
        if (stamp.kind == Kind.ABSENT) {
            throw new NoSuchFileException(file.toString());
        }
        if (stamp.kind == Kind.OTHER) {
            throw new IOException(
                    file + " is not a regular file but a directory, a pipe or a device; put a file there");
        }
        if (stamp.size > maxBytes) {
            throw new IOException(file + " has " + stamp.size + " bytes, but at most " + maxBytes
                    + " are read; check that it is the right file");
        }
        return stamp;
    }
}
