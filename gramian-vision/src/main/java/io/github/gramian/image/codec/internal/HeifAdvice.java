package io.github.gramian.image.codec.internal;

import java.util.Optional;

/** Advice about HEIC and AVIF files if no converter is installed. */
public final class HeifAdvice {

    private HeifAdvice() {}

    /** One line about files that were not read; empty for none. */
    public static Optional<String> of(long files) {
        return files == 0
                ? Optional.empty()
                : Optional.of((files == 1 ? "1 HEIC or AVIF file was" : files + " HEIC or AVIF files were")
                        + " not read: install heif-convert (Debian package libheif-examples) and run the command again,"
                        + " or convert them: for f in *.heic; do heif-convert \"$f\" \"${f%.heic}.jpg\"; done");
    }
}
