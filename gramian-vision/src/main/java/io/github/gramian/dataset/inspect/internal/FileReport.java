package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What was found out about one file.
 *
 * @param sha256 of its bytes; empty if it cannot be read
 * @param width in pixels, 0 if it is broken
 * @param height in pixels, 0 if it is broken
 * @param hash what it looks like; empty if it is broken or blank
 * @param quality measures of the picture; empty if it is broken
 * @param broken why it gives no image; empty if it does
 */
record FileReport(
        Optional<String> sha256,
        int width,
        int height,
        OptionalLong hash,
        Optional<ImageQuality> quality,
        Optional<Decoded.Rejected> broken) {

    static FileReport of(Path file, ImageDecoder decoder) {
        Optional<String> sha256 = ContentHash.ofFile(file);
        Decoded decoded = decoder.decode(file);
        if (decoded instanceof Decoded.Picture picture) {
            return new FileReport(
                    sha256,
                    picture.image().width(),
                    picture.image().height(),
                    PerceptualHash.of(picture.image()),
                    Optional.of(ImageQuality.of(picture.image())),
                    Optional.empty());
        }
        return new FileReport(
                sha256, 0, 0, OptionalLong.empty(), Optional.empty(), Optional.of((Decoded.Rejected) decoded));
    }
}
