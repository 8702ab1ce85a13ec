package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.HeifConverter.Cache;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.io.internal.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

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
    private final Cache cache;
    private final String advice;

    HeifCodec(Optional<HeifConverter> converter, Cache cache, String advice) {
        this.converter = converter;
        this.cache = cache;
        this.advice = advice;
    }

    /** Starts no other program, whatever is installed: for untrusted files. */
    static HeifCodec rejecting() {
        return new HeifCodec(Optional.empty(), Cache.none(), ADVICE);
    }

    /** With the converter that is installed, if one is. */
    static HeifCodec installed() {
        Optional<HeifConverter> found =
                System.getProperty(SETTING, "").equals("off") ? Optional.empty() : HeifConverter.installed();
        return new HeifCodec(found, Cache.ofUser(), "install heif-convert, or " + ADVICE);
    }

    @Override
    public Size size(byte[] file) throws Refusal {
        requireConverter();
        return Boxes.largest(file);
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

    /**
     * The boxes of a HEIC or AVIF file (ISO/IEC 14496-12 and 23008-12), as far as recognition and the size of its images need
     * them. Reads untrusted bytes; every box must lie inside the one around it, and their number is limited.
     */
    static final class Boxes {

        /** Still images and image sequences, coded as HEVC or AV1. */
        private static final Set<String> BRANDS =
                Set.of("heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1", "avif", "avis");

        private static final int BRANDS_START = 16;
        private static final int MAX_BRANDS = 64;
        private static final int MAX_BOXES = 65_536;

        /** Version and flags, which come first in some boxes. */
        private static final int FULL_BOX_HEADER = 4;

        private final byte[] file;
        private int boxes;

        private Boxes(byte[] file) {
            this.file = file;
        }

        /** Whether a file starts as HEIC or AVIF files do, with a file type box that names one of their brands. */
        static boolean isHeif(byte[] file) {
            if (!ByteCursor.startsWith(file, 4, "ftyp") || file.length < BRANDS_START) {
                return false;
            }
            if (BRANDS.contains(fourLetters(file, 8))) {
                return true;
            }
            int size = (file[0] & 0xFF) << 24 | (file[1] & 0xFF) << 16 | (file[2] & 0xFF) << 8 | (file[3] & 0xFF);
            int end = Math.min(Math.min(size, file.length), BRANDS_START + 4 * MAX_BRANDS);
            for (int at = BRANDS_START; at + 4 <= end; at += 4) {
                if (BRANDS.contains(fourLetters(file, at))) {
                    return true;
                }
            }
            return false;
        }

        private static String fourLetters(byte[] file, int from) {
            return new String(file, from, 4, StandardCharsets.ISO_8859_1);
        }

        /**
         * The size of the largest image of a file: a converter may decode any of them. It is the size before rotation, and a
         * thumbnail or a tile is never larger than the image that it belongs to.
         */
        static Codec.Size largest(byte[] file) throws Refusal {
            Boxes boxes = new Boxes(file);
            Range meta = boxes.find("meta", new Range(0, file.length)).after(FULL_BOX_HEADER);
            Range properties = boxes.find("ipco", boxes.find("iprp", meta));
            Codec.Size largest = new Codec.Size(0, 0);
            for (Range rest = properties; rest.length() > 0; ) {
                Box box = boxes.first(rest);
                if (box.name.equals("ispe")) {
                    largest = larger(largest, boxes.size(box.content));
                }
                rest = new Range(box.content.end, rest.end);
            }
            if (largest.width() == 0) {
                throw Refusal.unsupported("it has no still image");
            }
            return largest;
        }

        private static Codec.Size larger(Codec.Size one, Codec.Size other) {
            return (double) other.width() * other.height() > (double) one.width() * one.height() ? other : one;
        }

        /** The content of an image's size property. */
        private Codec.Size size(Range content) throws Refusal {
            Range values = content.after(FULL_BOX_HEADER);
            if (values.length() < 8) {
                throw Refusal.corrupt("the size of an image has " + values.length() + " bytes");
            }
            ByteCursor cursor = ByteCursor.bigEndian(file, values.start);
            return new Codec.Size(cursor.u32(), cursor.u32());
        }

        /** Bytes from a place to before another. */
        private record Range(int start, int end) {

            int length() {
                return end - start;
            }

            Range after(int bytes) throws Refusal {
                if (bytes > length()) {
                    throw Refusal.truncated("a box has only " + length() + " bytes");
                }
                return new Range(start + bytes, end);
            }
        }

        private record Box(String name, Range content) {}

        /** The content of the first box of this name among those in a range. */
        private Range find(String name, Range range) throws Refusal {
            for (Range rest = range; rest.length() > 0; ) {
                Box box = first(rest);
                if (box.name.equals(name)) {
                    return box.content;
                }
                rest = new Range(box.content.end, rest.end);
            }
            throw Refusal.unsupported("it has no still image");
        }

        /** The box at the start of a range, which it must not leave. */
        private Box first(Range range) throws Refusal {
            if (++boxes > MAX_BOXES) {
                throw Refusal.corrupt("it has more than " + MAX_BOXES + " boxes");
            }
            ByteCursor cursor = ByteCursor.bigEndian(file, range.start);
            long size = cursor.u32();
            String name = cursor.name();
            if (size == 1) {
                long high = cursor.u32();
                size = high > 0 ? Long.MAX_VALUE : cursor.u32();
            } else if (size == 0) {
                size = range.length();
            }
            int header = cursor.position() - range.start;
            if (size < header) {
                throw Refusal.corrupt("a box has a size of " + size + " bytes");
            }
            if (size > range.length()) {
                throw Refusal.truncated("a box is larger than the box around it");
            }
            return new Box(name, new Range(range.start + header, range.start + (int) size));
        }
    }
}
