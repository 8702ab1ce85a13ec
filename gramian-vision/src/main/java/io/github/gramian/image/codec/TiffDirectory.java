package io.github.gramian.image.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * The first image file directory of a TIFF structure, which is also how EXIF keeps its tags. Integer values only; an
 * entry whose values would lie outside the bytes is a {@link Refusal}.
 */
final class TiffDirectory {

    static final int WIDTH = 256;
    static final int HEIGHT = 257;
    static final int BITS_PER_SAMPLE = 258;
    static final int COMPRESSION = 259;
    static final int ORIENTATION = 274;
    static final int SAMPLES_PER_PIXEL = 277;
    static final int TILE_WIDTH = 322;
    static final int TILE_HEIGHT = 323;
    static final int SAMPLE_FORMAT = 339;

    /** More values than this of one entry are not stored: offsets of strips may be many and are not needed here. */
    private static final int MAX_VALUES = 16;

    /** Bytes a value of type 1, 2, … takes. */
    private static final int[] TYPE_BYTES = {1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};

    /** The tags that make pixels; without profiles, and without what points at further directories. */
    private static final Set<Integer> PIXEL_TAGS = Set.of(
            256, 257, 258, 259, 262, 266, 273, 277, 278, 279, 284, 292, 293, 317, 320, 322, 323, 324, 325, 332, 338,
            339, 347, 512, 513, 514, 515, 519, 520, 521, 529, 530, 531, 532);

    private static final int ENTRY_BYTES = 12;

    private final Map<Integer, long[]> entries = new HashMap<>();
    private final List<Integer> pixelEntriesAt = new ArrayList<>();
    private final int start;
    private final boolean littleEndian;

    private TiffDirectory(ByteCursor cursor, byte[] bytes, boolean littleEndian) throws Refusal {
        this.start = cursor.position();
        this.littleEndian = littleEndian;
        int count = cursor.u16();
        for (int i = 0; i < count; i++) {
            int entryAt = cursor.position();
            int tag = cursor.u16();
            if (PIXEL_TAGS.contains(tag)) {
                pixelEntriesAt.add(entryAt);
            }
            int type = cursor.u16();
            long values = cursor.u32();
            readEntry(tag, type, values, cursor.position(), bytes);
            cursor.skip(4);
        }
        if (cursor.remaining() < 4) {
            throw Refusal.truncated("the directory ends too early");
        }
    }

    /** Reads a TIFF structure that starts with the first of these bytes. */
    static TiffDirectory read(byte[] bytes) throws Refusal {
        boolean littleEndian = ByteCursor.startsWith(bytes, 0, "II");
        if (!littleEndian && !ByteCursor.startsWith(bytes, 0, "MM")) {
            throw Refusal.corrupt("a TIFF directory starts with II or MM");
        }
        ByteCursor cursor = littleEndian ? ByteCursor.littleEndian(bytes, 2) : ByteCursor.bigEndian(bytes, 2);
        if (cursor.u16() != 42) {
            throw Refusal.unsupported("only classic TIFF is read, not BigTIFF");
        }
        cursor.seek(cursor.u32());
        return new TiffDirectory(cursor, bytes, littleEndian);
    }

    /** The orientation that EXIF bytes ask for; unreadable EXIF is ignored. */
    static Orientation orientationOfExif(byte[] bytes, int from, int to) {
        try {
            return read(Arrays.copyOfRange(bytes, from, to)).orientation();
        } catch (Refusal e) {
            return Orientation.UPRIGHT;
        }
    }

    Orientation orientation() {
        return Orientation.ofTag(value(ORIENTATION, 1));
    }

    /** The first value of a tag, or the fallback where it is absent. */
    long value(int tag, long fallback) {
        long[] values = entries.get(tag);
        return values == null || values.length == 0 ? fallback : values[0];
    }

    /** Whether all values of a tag that is present pass. */
    boolean all(int tag, LongPredicate test) {
        long[] values = entries.get(tag);
        return values == null || Arrays.stream(values).allMatch(test);
    }

    /**
     * A copy of the bytes in which only this directory is left, and of its entries only those that make pixels. Readers
     * follow every pointer they know, even cyclic ones, and decompress what the picture does not need.
     */
    byte[] essence(byte[] bytes) {
        byte[] essence = bytes.clone();
        int to = start + 2;
        for (int from : pixelEntriesAt) {
            System.arraycopy(bytes, from, essence, to, ENTRY_BYTES);
            to += ENTRY_BYTES;
        }
        Arrays.fill(essence, to, to + 4, (byte) 0); // there is no next directory
        essence[littleEndian ? start : start + 1] = (byte) pixelEntriesAt.size();
        essence[littleEndian ? start + 1 : start] = (byte) (pixelEntriesAt.size() >> 8);
        return essence;
    }

    private void readEntry(int tag, int type, long count, int fieldAt, byte[] bytes) throws Refusal {
        if (type < 1 || type > TYPE_BYTES.length) {
            return; // readers must skip types they do not know
        }
        int size = TYPE_BYTES[type - 1];
        ByteCursor cursor =
                littleEndian ? ByteCursor.littleEndian(bytes, fieldAt) : ByteCursor.bigEndian(bytes, fieldAt);
        if (count * size > 4) {
            cursor.seek(cursor.u32());
        }
        if (count * size > cursor.remaining()) {
            throw Refusal.truncated("tag " + tag + " has " + count + " values, which do not fit into the file");
        }
        long[] values = new long[(int) Math.min(count, MAX_VALUES)];
        for (int i = 0; i < values.length; i++) {
            values[i] = size == 1 ? cursor.u8() : size == 2 ? cursor.u16() : cursor.u32();
            cursor.skip(size == 8 ? 4 : 0);
        }
        entries.putIfAbsent(tag, values);
    }
}
