package io.github.gramian.image.codec;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The boxes of a HEIC or AVIF file (ISO/IEC 14496-12 and 23008-12), as far as recognition and the size of its images need
 * them. Reads untrusted bytes; every box must lie inside the one around it, and their number is limited.
 */
final class HeifBoxes {

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

    private HeifBoxes(byte[] file) {
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
        HeifBoxes boxes = new HeifBoxes(file);
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
