package io.github.gramian.image.codec;

import io.github.gramian.image.codec.HeifCodec.Boxes;
import java.util.Optional;

/** The formats that are decoded, each recognised by its first bytes; a file's extension counts for nothing. */
public enum ImageFormat {
    JPEG,
    PNG,
    WEBP,
    BMP,
    TIFF,
    GIF,
    /** HEIC and AVIF; only a decoder {@linkplain ImageDecoder#forLocalFiles for local files} reads them. */
    HEIF;

    /** The format of a file's content, if it is one of these. */
    public static Optional<ImageFormat> of(byte[] file) {
        if (ByteCursor.startsWith(file, 0, "\u00FF\u00D8\u00FF")) {
            return Optional.of(JPEG);
        }
        if (ByteCursor.startsWith(file, 0, PngCodec.SIGNATURE)) {
            return Optional.of(PNG);
        }
        if (ByteCursor.startsWith(file, 0, "RIFF") && ByteCursor.startsWith(file, 8, "WEBP")) {
            return Optional.of(WEBP);
        }
        if (ByteCursor.startsWith(file, 0, "II*\0") || ByteCursor.startsWith(file, 0, "MM\0*")) {
            return Optional.of(TIFF);
        }
        if (ByteCursor.startsWith(file, 0, "GIF87a") || ByteCursor.startsWith(file, 0, "GIF89a")) {
            return Optional.of(GIF);
        }
        // "BM" alone also starts English text; the reserved bytes and the header's size, below 256, distinguish the
        // two.
        if (ByteCursor.startsWith(file, 0, "BM") && (file.length < 18 || ByteCursor.startsWith(file, 15, "\0\0\0"))) {
            return Optional.of(BMP);
        }
        return Boxes.isHeif(file) ? Optional.of(HEIF) : Optional.empty();
    }

    Codec codec() {
        return switch (this) {
            case JPEG -> new JpegCodec();
            case PNG -> new PngCodec();
            case WEBP -> new WebpCodec();
            case BMP -> new BmpCodec();
            case TIFF -> new TiffCodec();
            case GIF -> new GifCodec();
            case HEIF -> HeifCodec.rejecting();
        };
    }
}
