package io.github.gramian.image.codec;

import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.io.internal.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;

/**
 * HEIC and AVIF, which cameras of telephones write. No library for Java 17 decodes them, so an installed program converts
 * them to JPEG at quality 100, and {@link JpegCodec} does the rest. The result is cached by content, since conversion takes a
 * second for a photograph.
 *
 * <p>JPEG, not PNG: for 12 megapixels, heif-convert needs a fifth of the time, the file has half the size, and it can be
 * decoded in reduced size. Like these files, it stores colour at half the resolution.
 */
final class HeifCodec implements Codec {

    /** {@code -Dgramian.heif=off} keeps Gramian from starting a converter. */
    static final String SETTING = "gramian.heif";

    private static final int START_OF_SCAN = 0xFFDA;

    /** APP1 to APP15; APP0 defines how colours are coded. */
    private static final int FIRST_METADATA = 0xFFE1;

    private static final int LAST_METADATA = 0xFFEF;

    private static final String ADVICE = "convert the file to JPEG: heif-convert photo.heic photo.jpg";

    private final Optional<HeifConverter> converter;
    private final ConvertedImages cache;
    private final String advice;

    HeifCodec(Optional<HeifConverter> converter, ConvertedImages cache, String advice) {
        this.converter = converter;
        this.cache = cache;
        this.advice = advice;
    }

    /** Starts no other program, whatever is installed: for untrusted files. */
    static HeifCodec rejecting() {
        return new HeifCodec(Optional.empty(), ConvertedImages.none(), ADVICE);
    }

    /** With the converter that is installed, if one is. */
    static HeifCodec installed() {
        Optional<HeifConverter> found =
                System.getProperty(SETTING, "").equals("off") ? Optional.empty() : HeifConverter.installed();
        return new HeifCodec(found, ConvertedImages.ofUser(), "install heif-convert, or " + ADVICE);
    }

    @Override
    public Size size(byte[] file) throws Refusal {
        requireConverter();
        return HeifBoxes.largest(file);
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        HeifConverter program = requireConverter();
        Size largest = size(file);
        String key = Sha256.of(file);
        Optional<byte[]> cached = cache.get(key);
        if (cached.isPresent()) {
            try {
                return image(cached.get(), largest, reduction, cancellation);
            } catch (Refusal | IOException e) {
                // A cached file that cannot be decoded is replaced.
            }
        }
        byte[] jpeg = withoutMetadata(program.jpeg(file, largest.width() * largest.height()));
        RgbImage image = image(jpeg, largest, reduction, cancellation);
        cache.put(key, jpeg);
        return image;
    }

    private HeifConverter requireConverter() throws Refusal {
        return converter.orElseThrow(() -> new Refusal(Rejection.NEEDS_CONVERTER, advice));
    }

    /**
     * A JPEG without its EXIF data and profiles. The converter has rotated the pixels already but may copy the camera's
     * orientation, which would rotate them a second time.
     */
    static byte[] withoutMetadata(byte[] jpeg) throws Refusal {
        ByteArrayOutputStream remaining = new ByteArrayOutputStream(jpeg.length);
        remaining.write(jpeg, 0, Math.min(2, jpeg.length));
        ByteCursor cursor = ByteCursor.bigEndian(jpeg, remaining.size());
        int start;
        int marker;
        do {
            start = cursor.position();
            marker = cursor.u16();
            int length = cursor.u16();
            cursor.skip(Math.max(0, length - 2));
            if (marker != START_OF_SCAN && (marker < FIRST_METADATA || marker > LAST_METADATA)) {
                remaining.write(jpeg, start, cursor.position() - start);
            }
        } while (marker != START_OF_SCAN);
        remaining.write(jpeg, start, jpeg.length - start);
        return remaining.toByteArray();
    }

    /** The converter has applied rotation and cropping, so the size may differ, but there are never more pixels. */
    private static RgbImage image(byte[] jpeg, Size largest, Reduction reduction, Cancellation cancellation)
            throws Refusal, IOException {
        JpegCodec codec = new JpegCodec();
        Size size = codec.size(jpeg);
        if (size.width() < 1
                || size.height() < 1
                || size.width() * size.height() > largest.width() * largest.height()) {
            throw Refusal.corrupt("conversion gave " + size.width() + "×" + size.height() + " pixels, the header names "
                    + largest.width() + "×" + largest.height());
        }
        return codec.decode(jpeg, reduction, cancellation);
    }
}
