package io.github.gramian.feature.internal;

import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;

/** SHA-256 of an image's file, in hexadecimal: equal files have equal features, whatever they are called. */
public record ContentKey(String hex) {

    static final int BYTES = 32;

    public ContentKey {
        if (hex.length() != 2 * BYTES) {
            throw new IllegalArgumentException("a content key has 64 hexadecimal digits but got " + hex.length());
        }
    }

    public static ContentKey ofFile(Path file) throws IOException {
        return new ContentKey(new Sha256().add(file).hex());
    }

    static ContentKey of(byte[] bytes) {
        return new ContentKey(HexFormat.of().formatHex(bytes));
    }

    byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }
}
