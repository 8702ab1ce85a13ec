package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.JpegCodec.Markers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/** TIFF: the first page, with 1 to 16 bits a sample; strips or tiles; the compressions that TwelveMonkeys knows. */
final class TiffCodec implements Codec {

    /** The most a tile may be larger than the image it belongs to; the reader allocates whole tiles. */
    private static final long TILE_PIXELS = 1 << 22;

    private static final int OLD_JPEG = 6;
    private static final int JPEG = 7;

    @Override
    public Size size(byte[] file) throws Refusal {
        Directory directory = Directory.read(file);
        long width = directory.value(Directory.WIDTH, 0);
        long height = directory.value(Directory.HEIGHT, 0);
        long samples = directory.value(Directory.SAMPLES_PER_PIXEL, 1);
        if (samples < 1 || samples > 5) {
            throw Refusal.unsupported(samples + " samples a pixel");
        }
        if (!directory.all(Directory.BITS_PER_SAMPLE, bits -> bits >= 1 && bits <= 16)) {
            throw Refusal.unsupported("only 1 to 16 bits a sample are read");
        }
        if (!directory.all(Directory.SAMPLE_FORMAT, format -> format == 1)) {
            throw Refusal.unsupported("only unsigned integers are read");
        }
        long tileWidth = directory.value(Directory.TILE_WIDTH, 1);
        long tileHeight = directory.value(Directory.TILE_HEIGHT, 1);
        long most = TILE_PIXELS + width * height;
        if (tileWidth < 1 || tileHeight < 1 || tileWidth > most || tileHeight > most / tileWidth) {
            throw Refusal.unsupported("tiles of " + tileWidth + "×" + tileHeight);
        }
        return new Size(width, height);
    }

    /** JPEG data in a TIFF may be progressive as well, and every strip may point to the same data. */
    @Override
    public int passes(byte[] file) throws Refusal {
        Directory directory = Directory.read(file);
        boolean deep = !directory.all(Directory.BITS_PER_SAMPLE, bits -> bits <= 8);
        long compression = directory.value(Directory.COMPRESSION, 1);
        boolean jpeg = compression == OLD_JPEG || compression == JPEG;
        return (deep ? 24 : 12) + (jpeg ? Markers.scansIfProgressive(file) : 0);
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        Directory directory = Directory.read(file);
        RgbImage image = Readers.SHARED.tiff(directory.essence(file), cancellation);
        size(file).check(image);
        return directory.orientation().apply(image);
    }

    /**
     * The first image file directory of a TIFF structure, which is also how EXIF keeps its tags. Integer values only; an
     * entry whose values would lie outside the bytes is a {@link Refusal}.
     */
    static final class Directory {

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

        private Directory(ByteCursor cursor, byte[] bytes, boolean littleEndian) throws Refusal {
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
        static Directory read(byte[] bytes) throws Refusal {
            boolean littleEndian = ByteCursor.startsWith(bytes, 0, "II");
            if (!littleEndian && !ByteCursor.startsWith(bytes, 0, "MM")) {
                throw Refusal.corrupt("a TIFF directory starts with II or MM");
            }
            ByteCursor cursor = littleEndian ? ByteCursor.littleEndian(bytes, 2) : ByteCursor.bigEndian(bytes, 2);
            if (cursor.u16() != 42) {
                throw Refusal.unsupported("only classic TIFF is read, not BigTIFF");
            }
            cursor.seek(cursor.u32());
            return new Directory(cursor, bytes, littleEndian);
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
}
