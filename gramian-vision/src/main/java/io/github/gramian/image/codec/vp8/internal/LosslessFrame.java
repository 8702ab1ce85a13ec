package io.github.gramian.image.codec.vp8.internal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;

/** A lossless frame: the content of a WebP file's chunk "VP8L" (RFC 9649). Alpha is decoded and dropped. */
public final class LosslessFrame {

    private static final int HEADER = 5;
    private static final int LENGTH_CODES = 24;
    private static final int DISTANCE_CODES = 40;
    private static final int CACHE_FACTOR = 0x1E35A7BD;

    /** Encoders stay below 2,600 groups of codes; a group takes some kilobytes. */
    private static final int MOST_GROUPS = 1 << 13;

    /** The nearest 120 pixels that a copy may start from: 16 · rows up + 8 − columns to the left. */
    private static final int[] NEAR = {
        24, 7, 23, 25, 40, 6, 39, 41, 22, 26, 38, 42, 56, 5, 55, 57, 21, 27, 54, 58,
        37, 43, 72, 4, 71, 73, 20, 28, 53, 59, 70, 74, 36, 44, 88, 69, 75, 52, 60, 3,
        87, 89, 19, 29, 86, 90, 35, 45, 68, 76, 85, 91, 51, 61, 104, 2, 103, 105, 18, 30,
        102, 106, 34, 46, 84, 92, 67, 77, 101, 107, 50, 62, 120, 1, 119, 121, 83, 93, 17, 31,
        100, 108, 66, 78, 118, 122, 33, 47, 117, 123, 49, 63, 99, 109, 82, 94, 0, 116, 124, 65,
        79, 16, 32, 98, 110, 48, 115, 125, 81, 95, 64, 114, 126, 97, 111, 80, 113, 127, 96, 112
    };

    private final LosslessBits bits;
    private final int width;
    private final int height;
    private final Deque<LosslessTransform> transforms = new ArrayDeque<>();

    private LosslessFrame(byte[] bytes, int start, int length) throws IOException {
        if (length < HEADER || bytes[start] != 0x2F) {
            throw new IOException("the frame has no signature");
        }
        bits = new LosslessBits(bytes, start + 1, start + length);
        width = 1 + bits.read(14);
        height = 1 + bits.read(14);
        bits.take(1); // whether alpha matters
        if (bits.read(3) != 0) {
            throw new IOException("an unknown version of the format");
        }
    }

    /**
     * Decodes a frame to RGB, row by row, 3 bytes a pixel. The caller has checked that its size is one it wants to
     * allocate; data that is missing is an {@link java.io.EOFException}.
     */
    public static byte[] decode(byte[] bytes, int start, int length) throws IOException {
        return new LosslessFrame(bytes, start, length).toRgb();
    }

    private byte[] toRgb() throws IOException {
        int packedWidth = readTransforms();
        int[] argb = pixels(packedWidth, height, true);
        for (LosslessTransform transform : transforms) {
            argb = transform.undo(argb, height);
        }
        byte[] rgb = new byte[Math.multiplyExact(3, argb.length)];
        for (int i = 0, to = 0; i < argb.length; i++) {
            rgb[to++] = (byte) (argb[i] >> 16);
            rgb[to++] = (byte) (argb[i] >> 8);
            rgb[to++] = (byte) argb[i];
        }
        return rgb;
    }

    /** Reads the transforms, last one first; returns the width of the pixels that are coded. */
    private int readTransforms() throws IOException {
        int coded = width;
        Set<LosslessTransform.Kind> seen = EnumSet.noneOf(LosslessTransform.Kind.class);
        while (bits.flag()) {
            LosslessTransform.Kind kind = LosslessTransform.Kind.of(bits.read(2));
            if (!seen.add(kind)) {
                throw new IOException("a transform comes twice");
            }
            LosslessTransform transform = switch (kind) {
                case PREDICT, CROSS_COLOUR -> {
                    int blockBits = 2 + bits.read(3);
                    yield new LosslessTransform(
                            kind, blockBits, coded, image(blocks(coded, blockBits), blocks(height, blockBits)));
                }
                case SUBTRACT_GREEN ->
                    new LosslessTransform(kind, 0, coded, new LosslessTransform.Pixels(0, new int[0]));
                case PALETTE -> palette(coded);
            };
            transforms.push(transform);
            if (kind == LosslessTransform.Kind.PALETTE) {
                coded = blocks(coded, transform.blockBits());
            }
        }
        return coded;
    }

    private LosslessTransform palette(int coded) throws IOException {
        int size = 1 + bits.read(8);
        LosslessTransform.Pixels colours = image(size, 1);
        for (int i = 1; i < size; i++) {
            colours.argb[i] = LosslessTransform.sum(colours.argb[i], colours.argb[i - 1]);
        }
        int packing = size <= 2 ? 3 : size <= 4 ? 2 : size <= 16 ? 1 : 0;
        return new LosslessTransform(LosslessTransform.Kind.PALETTE, packing, coded, colours);
    }

    private LosslessTransform.Pixels image(int imageWidth, int imageHeight) throws IOException {
        return new LosslessTransform.Pixels(imageWidth, pixels(imageWidth, imageHeight, false));
    }

    /** Reads an image's codes and then its pixels; only the main image may have several groups of codes. */
    private int[] pixels(int w, int h, boolean main) throws IOException {
        boolean cached = bits.flag();
        int cacheBits = cached ? bits.read(4) : 0;
        if (cached && (cacheBits == 0 || cacheBits > 11)) {
            throw new IOException("a cache of 2^" + cacheBits + " colours");
        }
        int blockBits = 0;
        LosslessTransform.Pixels map = new LosslessTransform.Pixels(0, new int[0]);
        int groups = 1;
        if (main && bits.flag()) {
            blockBits = 2 + bits.read(3);
            map = image(blocks(w, blockBits), blocks(h, blockBits));
            for (int i = 0; i < map.argb.length; i++) {
                map.argb[i] = (map.argb[i] >> 8) & 0xFFFF;
                groups = Math.max(groups, map.argb[i] + 1);
            }
            if (groups > MOST_GROUPS) {
                throw new IOException(groups + " groups of codes");
            }
        }
        PrefixCode[][] codes = new PrefixCode[groups][];
        for (int i = 0; i < groups; i++) {
            int greens = 256 + LENGTH_CODES + (cacheBits == 0 ? 0 : 1 << cacheBits);
            codes[i] = new PrefixCode[] {
                PrefixCode.read(bits, greens),
                PrefixCode.read(bits, 256),
                PrefixCode.read(bits, 256),
                PrefixCode.read(bits, 256),
                PrefixCode.read(bits, DISTANCE_CODES)
            };
        }
        return fill(new int[Math.multiplyExact(w, h)], w, codes, map, blockBits, cacheBits);
    }

    private int[] fill(
            int[] argb, int w, PrefixCode[][] codes, LosslessTransform.Pixels map, int blockBits, int cacheBits)
            throws IOException {
        int[] cache = new int[1 << cacheBits];
        int cached = 0;
        int at = 0;
        while (at < argb.length) {
            int group =
                    map.argb.length == 0 ? 0 : map.argb[((at / w) >> blockBits) * map.width + ((at % w) >> blockBits)];
            PrefixCode[] code = codes[group];
            int green = code[0].next(bits);
            if (green < 256) {
                int red = code[1].next(bits);
                int blue = code[2].next(bits);
                argb[at++] = (code[3].next(bits) << 24) | (red << 16) | (green << 8) | blue;
            } else if (green < 256 + LENGTH_CODES) {
                int length = extended(green - 256);
                int distance = distance(extended(code[4].next(bits)), w);
                if (distance > at || length > argb.length - at) {
                    throw new IOException("a copy from or to outside the image");
                }
                for (int end = at + length; at < end; at++) {
                    argb[at] = argb[at - distance];
                }
            } else {
                // What was decoded since is put into the cache only now that it is asked for.
                for (; cached < at; cached++) {
                    cache[(argb[cached] * CACHE_FACTOR) >>> (32 - cacheBits)] = argb[cached];
                }
                argb[at++] = cache[green - 256 - LENGTH_CODES];
            }
        }
        return argb;
    }

    /** A length or distance: small ones as they are, larger ones with extra bits. */
    private int extended(int symbol) throws IOException {
        if (symbol < 4) {
            return symbol + 1;
        }
        int extra = (symbol - 2) >> 1;
        int high = extra > 16 ? extra - 16 : 0;
        int low = bits.read(extra - high);
        return ((2 + (symbol & 1)) << extra) + low + (bits.read(high) << (extra - high)) + 1;
    }

    private static int distance(int code, int w) {
        if (code > NEAR.length) {
            return code - NEAR.length;
        }
        int near = NEAR[code - 1];
        return Math.max(1, (near >> 4) * w + 8 - (near & 15));
    }

    private static int blocks(int length, int blockBits) {
        return (length + (1 << blockBits) - 1) >> blockBits;
    }
}
