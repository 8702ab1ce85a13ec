package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * One corruption at one severity. Lengths are in pixels and meant for images of 224 pixels a side, as in ImageNet-C; they are the
 * same in images of other sizes.
 *
 * @param type what is done
 * @param severity how strongly, 1..5
 */
public record Corruption(CorruptionType type, int severity) {

    /** The largest severity; the smallest is 1. */
    public static final int MAX_SEVERITY = 5;

    public Corruption {
        if (severity < 1 || severity > MAX_SEVERITY) {
            throw new IllegalArgumentException(
                    "the severity of a corruption must lie in 1.." + MAX_SEVERITY + " but is " + severity);
        }
    }

    /** Its name and severity in cache keys: {@code fog:3}. */
    public String key() {
        return type.key() + ":" + severity;
    }

    /**
     * The corrupted image, of the same size; the given image is not changed. Random numbers depend on the seed, the
     * corruption and the pixels, so the same image is always corrupted in the same way.
     */
    public RgbImage apply(RgbImage image, Seed seed) {
        Seed own = seed.child(type.key()).child(severity).child(content(image));
        return type.change().apply(Planes.of(image), severity, new Draws(own)).toImage();
    }

    /** Two checksums of 32 bits, which distinguish images. They do not protect against manipulation. */
    private static long content(RgbImage image) {
        CRC32 first = new CRC32();
        CRC32C second = new CRC32C();
        first.update(image.pixels());
        second.update(image.pixels());
        return first.getValue() << 32 | second.getValue();
    }
}
