package io.github.gramian.cli.common;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files that people write. */
public final class TextFile {

    private TextFile() {}

    /**
     * The content of a file in UTF-8.
     *
     * @throws IllegalArgumentException for other bytes; Java's own exception does not name the file
     */
    public static String read(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(file + " is not UTF-8 text; save it as UTF-8", e);
        }
    }
}
