package io.github.gramian.image.internal;

import io.github.gramian.image.codec.ImageFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Recognises an image that was given in place of another kind of file, so that an error message can name it. */
public final class ImageTitle {

    /** The longest signature of an image format is shorter. */
    private static final int HEAD_BYTES = 32;

    private ImageTitle() {}

    /** Such as "a JPEG image"; empty for anything else. */
    public static Optional<String> of(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file)) {
            return ImageFormat.of(in.readNBytes(HEAD_BYTES)).map(format -> "a " + format + " image");
        }
    }
}
