package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.TiffCodec.Directory;
import java.awt.image.DataBufferByte;
import java.awt.image.PixelInterleavedSampleModel;
import java.awt.image.Raster;
import java.io.IOException;
import java.util.Optional;

/**
 * JPEG: baseline and progressive, grey, YCbCr, RGB, CMYK and YCCK, with 8 bits.
 *
 * <p>libjpeg-turbo decodes grey and colour, reduced on request. Four inks, and files that it would refuse or
 * warn about, go to the JDK's reader, always in full: it reports what is wrong with them, and whether it matters.
 */
final class JpegCodec implements Codec {

    private static final int FULL_DECODING_PASSES = 8;

    @Override
    public Size size(byte[] file) throws Refusal {
        return Markers.toFrame(file).size();
    }

    /** A scan of a progressive image may visit every pixel, and an image that is decoded in full costs more than a scan. */
    @Override
    public int passes(byte[] file) throws Refusal {
        Markers markers = Markers.all(file);
        return markers.scans + (isForLibjpegTurbo(markers) ? 0 : FULL_DECODING_PASSES);
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        Markers markers = Markers.all(file);
        if (isForLibjpegTurbo(markers)) {
            int by = reductionOf(markers, reduction);
            Optional<RgbImage> image = Leptonica.jpeg(file, by, markers.orientation);
            if (image.isPresent()) {
                markers.uprightSize().reduced(by).check(image.get());
                return image.get();
            }
            cancellation.check();
        }
        return withReasons(file, markers, cancellation);
    }

    private static boolean isForLibjpegTurbo(Markers markers) throws Refusal {
        return markers.isPlain() && markers.colour().components < 4;
    }

    private static int reductionOf(Markers markers, Reduction reduction) {
        Size upright = markers.uprightSize();
        return reduction.of((int) upright.width(), (int) upright.height());
    }

    private static RgbImage withReasons(byte[] file, Markers markers, Cancellation cancellation)
            throws Refusal, IOException {
        Colour colour = markers.colour();
        // The raster, not the image: the reader would apply colour profiles, and guesses colours unlike libjpeg does.
        Raster raster = Readers.SHARED.jpeg(file, JpegCodec::isFatal, cancellation);
        if (!(raster.getDataBuffer() instanceof DataBufferByte samples)
                || !(raster.getSampleModel() instanceof PixelInterleavedSampleModel layout)
                || layout.getNumBands() != colour.components
                || layout.getScanlineStride() != raster.getWidth() * colour.components) {
            throw Refusal.unsupported("the samples are laid out in an unknown way");
        }
        RgbImage image = colour.toRgb(samples.getData(), raster.getWidth(), raster.getHeight());
        markers.size().check(image);
        return markers.orientation.apply(image);
    }

    /**
     * libjpeg fills what is missing with grey and only warns. Bytes between segments and odd version numbers do no harm;
     * every other warning means that pixels were invented by the decoder.
     */
    private static boolean isFatal(String warning) {
        return warning.contains("Truncated")
                || warning.startsWith("Premature end")
                || warning.startsWith("Inconsistent progression")
                || (warning.startsWith("Corrupt JPEG data") && !warning.contains("extraneous bytes"));
    }

    /** The markers of a JPEG that matter before its pixels do: frame, colour, orientation, number of scans. */
    static final class Markers {

        /** Each scan of a progressive JPEG may visit every pixel: a few more bytes must not cost another pass. */
        private static final int MAX_SCANS = 100;

        private static final int PROGRESSIVE_FRAME = 0xC2;
        private static final int START_OF_SCAN = 0xDA;

        private int width;
        private int height;
        private int components;
        private int componentNames;
        private int scans;
        private boolean extraneousBytes;
        private boolean ended;
        private boolean knownVersion = true;
        private boolean jfif;
        private int adobeTransform = -1;
        private Orientation orientation = Orientation.UPRIGHT;

        private Markers() {}

        /** Reads up to the frame, which knows the size. */
        static Markers toFrame(byte[] file) throws Refusal {
            return read(file, true);
        }

        /** Reads all markers of the file. */
        static Markers all(byte[] file) throws Refusal {
            Markers markers = read(file, false);
            if (markers.scans == 0) {
                throw Refusal.truncated("there is no scan in the file");
            }
            return markers;
        }

        private static Markers read(byte[] file, boolean stopAtFrame) throws Refusal {
            Markers markers = new Markers();
            ByteCursor cursor = ByteCursor.bigEndian(file, 2);
            boolean more = true;
            while (more && cursor.remaining() > 1 && !(stopAtFrame && markers.components > 0)) {
                more = markers.segment(file, cursor);
            }
            if (markers.components == 0) {
                throw Refusal.truncated("there is no frame in the file");
            }
            return markers;
        }

        /**
         * Upper bound for the scans of the JPEG data inside another file; 0 if none of it is progressive. Counts the bytes of
         * the markers wherever they are, since such data may lie anywhere.
         */
        static int scansIfProgressive(byte[] file) {
            boolean progressive = false;
            int scans = 0;
            for (int at = 0; at + 1 < file.length; at++) {
                if (file[at] == (byte) 0xFF) {
                    progressive |= file[at + 1] == (byte) PROGRESSIVE_FRAME;
                    scans += file[at + 1] == (byte) START_OF_SCAN ? 1 : 0;
                }
            }
            return progressive ? scans : 0;
        }

        Codec.Size size() {
            return new Codec.Size(width, height);
        }

        /** As the image is seen. */
        Codec.Size uprightSize() {
            return size().upright(orientation);
        }

        /**
         * Whether nothing outside the scans makes libjpeg warn: it is complete, without bytes between its segments, of a known
         * version. libjpeg also prints its warnings to standard error, without the name of the file.
         */
        boolean isPlain() {
            return ended && !extraneousBytes && knownVersion;
        }

        /** The rules of libjpeg: JFIF means YCbCr, then Adobe's marker, then the components' names. */
        Colour colour() throws Refusal {
            return switch (components) {
                case 1 -> Colour.GREY;
                case 3 -> {
                    boolean rgb = !jfif && (adobeTransform == 0 || (adobeTransform < 0 && componentNames == 0x524742));
                    yield rgb ? Colour.RGB : Colour.YCBCR;
                }
                case 4 -> adobeTransform > 0 ? Colour.YCCK : Colour.CMYK;
                default -> throw Refusal.unsupported(components + " colour components");
            };
        }

        /** Reads one segment; false at the end of the image. */
        private boolean segment(byte[] file, ByteCursor cursor) throws Refusal {
            int from = cursor.position();
            int marker = nextMarker(file, cursor);
            extraneousBytes |= scans == 0 && marker >= 0 && file[from] != (byte) 0xFF;
            if (marker < 0 || marker == 0xD9) {
                ended = marker == 0xD9;
                return false;
            }
            if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {
                return true;
            }
            int start = cursor.position();
            int length = cursor.u16();
            if (length < 2) {
                throw Refusal.corrupt("a segment gives its length as " + length + " bytes");
            }
            if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
                frame(marker, cursor);
            } else if (marker == START_OF_SCAN && ++scans > MAX_SCANS) {
                throw Refusal.unsupported("more than " + MAX_SCANS + " scans");
            } else if (marker == 0xE0 && ByteCursor.startsWith(file, start + 2, "JFIF\0")) {
                jfif = true;
                knownVersion = start + 7 < file.length && file[start + 7] == 1;
            } else if (marker == 0xEE && length >= 14 && ByteCursor.startsWith(file, start + 2, "Adobe")) {
                cursor.seek(start + 13L);
                adobeTransform = cursor.u8();
            } else if (marker == 0xE1 && ByteCursor.startsWith(file, start + 2, "Exif\0\0")) {
                orientation = Directory.orientationOfExif(
                        file, start + 8, Math.max(start + 8, Math.min(start + length, file.length)));
            }
            cursor.seek((long) start + length);
            return true;
        }

        private void frame(int marker, ByteCursor cursor) throws Refusal {
            if (components != 0) {
                throw Refusal.corrupt("a second frame");
            }
            if (marker > PROGRESSIVE_FRAME) {
                throw Refusal.unsupported("lossless, hierarchical or arithmetic coding");
            }
            int precision = cursor.u8();
            if (precision != 8) {
                throw Refusal.unsupported(precision + " bits a sample");
            }
            height = cursor.u16();
            width = cursor.u16();
            components = cursor.u8();
            if (components == 0 || components > 4) {
                throw Refusal.unsupported(components + " colour components");
            }
            for (int i = 0; i < components; i++) {
                componentNames = (componentNames << 8) | cursor.u8();
                cursor.skip(2);
            }
        }

        /** The next marker, past fill bytes, stuffed zeros and the bytes of a scan; −1 where there is none. */
        private static int nextMarker(byte[] file, ByteCursor cursor) throws Refusal {
            int at = cursor.position();
            while (at + 1 < file.length) {
                if (file[at] == (byte) 0xFF && file[at + 1] != 0 && file[at + 1] != (byte) 0xFF) {
                    cursor.seek(at + 2L);
                    return file[at + 1] & 0xFF;
                }
                at++;
            }
            cursor.seek(file.length);
            return -1;
        }
    }

    /**
     * What the components of a JPEG mean, and their conversion to RGB in the fixed-point arithmetic of libjpeg: 16 fractional
     * bits, rounded, clamped. Four components are stored inverted, as Adobe began and everybody follows.
     */
    enum Colour {
        GREY(1) {
            @Override
            void convert(byte[] from, byte[] rgb) {
                for (int i = 0; i < from.length; i++) {
                    rgb[3 * i] = from[i];
                    rgb[3 * i + 1] = from[i];
                    rgb[3 * i + 2] = from[i];
                }
            }
        },
        RGB(3) {
            @Override
            void convert(byte[] from, byte[] rgb) {
                System.arraycopy(from, 0, rgb, 0, rgb.length);
            }
        },
        YCBCR(3) {
            @Override
            void convert(byte[] from, byte[] rgb) {
                lightOfYcc(from, 3, rgb);
            }
        },
        CMYK(4) {
            @Override
            void convert(byte[] from, byte[] rgb) {
                for (int i = 0, to = 0; i + 3 < from.length; i += 4, to += 3) {
                    int whiteness = from[i + 3] & 0xFF;
                    rgb[to] = (byte) Readers.inkToLight(255 - (from[i] & 0xFF), whiteness);
                    rgb[to + 1] = (byte) Readers.inkToLight(255 - (from[i + 1] & 0xFF), whiteness);
                    rgb[to + 2] = (byte) Readers.inkToLight(255 - (from[i + 2] & 0xFF), whiteness);
                }
            }
        },
        YCCK(4) {
            @Override
            void convert(byte[] from, byte[] rgb) {
                lightOfYcc(from, 4, rgb);
                for (int i = 3, to = 0; i < from.length; i += 4, to += 3) {
                    int whiteness = from[i] & 0xFF;
                    // YCC codes the inverse of the stored inks, which are themselves inverted: what it gives is ink.
                    rgb[to] = (byte) Readers.inkToLight(rgb[to] & 0xFF, whiteness);
                    rgb[to + 1] = (byte) Readers.inkToLight(rgb[to + 1] & 0xFF, whiteness);
                    rgb[to + 2] = (byte) Readers.inkToLight(rgb[to + 2] & 0xFF, whiteness);
                }
            }
        };

        private final int components;

        Colour(int components) {
            this.components = components;
        }

        RgbImage toRgb(byte[] samples, int width, int height) {
            byte[] rgb = new byte[Math.multiplyExact(3, Math.multiplyExact(width, height))];
            convert(samples, rgb);
            return new RgbImage(width, height, rgb);
        }

        abstract void convert(byte[] from, byte[] rgb);

        private static void lightOfYcc(byte[] from, int step, byte[] rgb) {
            for (int i = 0, to = 0; to < rgb.length; i += step, to += 3) {
                int y = from[i] & 0xFF;
                int blue = (from[i + 1] & 0xFF) - 128;
                int red = (from[i + 2] & 0xFF) - 128;
                rgb[to] = clamp(y + ((91_881 * red + 32_768) >> 16));
                rgb[to + 1] = clamp(y + ((-46_802 * red - 22_554 * blue + 32_768) >> 16));
                rgb[to + 2] = clamp(y + ((116_130 * blue + 32_768) >> 16));
            }
        }

        private static byte clamp(int value) {
            return (byte) Math.max(0, Math.min(255, value));
        }
    }
}
