package io.github.gramian.image.codec;

/**
 * What the components of a JPEG mean, and their conversion to RGB in the fixed-point arithmetic of libjpeg: 16 fractional
 * bits, rounded, clamped. Four components are stored inverted, as Adobe began and everybody follows.
 */
enum JpegColour {
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
                rgb[to] = (byte) RasterPixels.inkToLight(255 - (from[i] & 0xFF), whiteness);
                rgb[to + 1] = (byte) RasterPixels.inkToLight(255 - (from[i + 1] & 0xFF), whiteness);
                rgb[to + 2] = (byte) RasterPixels.inkToLight(255 - (from[i + 2] & 0xFF), whiteness);
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
                rgb[to] = (byte) RasterPixels.inkToLight(rgb[to] & 0xFF, whiteness);
                rgb[to + 1] = (byte) RasterPixels.inkToLight(rgb[to + 1] & 0xFF, whiteness);
                rgb[to + 2] = (byte) RasterPixels.inkToLight(rgb[to + 2] & 0xFF, whiteness);
            }
        }
    };

    private final int components;

    JpegColour(int components) {
        this.components = components;
    }

    int components() {
        return components;
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
