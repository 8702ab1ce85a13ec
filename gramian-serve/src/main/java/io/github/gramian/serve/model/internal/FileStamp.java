package io.github.gramian.serve.model.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;

/**
 * Size, time and identity of a file: another stamp means that it was changed or replaced. The file itself is not read.
 *
 * @param key identity of the file, if the system reports it: a file that is renamed into place has another
 */
public record FileStamp(long size, FileTime changed, String key) {

    /** Of a file; empty if there is none at the moment. */
    public static Optional<FileStamp> of(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new FileStamp(
                    attributes.size(), attributes.lastModifiedTime(), Objects.toString(attributes.fileKey(), "")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
