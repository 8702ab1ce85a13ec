package io.github.gramian.image.codec.vp8.internal;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/** A key frame of VP8: the content of a WebP file's chunk "VP8 ". */
public final class Vp8Frame {

    private static final int START = 10;
    private static final int SEGMENTS = 4;

    private final byte[] bytes;
    private final int end;
    private final int width;
    private final int height;
    private final int columns;
    private final int rows;
    private final BoolDecoder header;
    private final BoolDecoder[] partitions;

    private boolean segmented;
    private boolean segmentMap;
    private boolean segmentsAbsolute;
    private final int[] segmentQuantisers = new int[SEGMENTS];
    private final int[] segmentLevels = new int[SEGMENTS];
    private final int[] segmentProbabilities = {255, 255, 255};
    private int level;
    private int sharpness;
    private LoopFilter filter = new LoopFilter(false);
    private boolean levelDifferences;
    private int intraDifference;
    private int byBlocksDifference;
    private final Quantiser[] quantisers = new Quantiser[SEGMENTS];
    private final Residuals residuals;
    private int skipProbability = -1;

    private final Plane luma;
    private final Plane blue;
    private final Plane red;
    private final Prediction prediction = new Prediction();
    private final LoopFilter.Strength[] strengths;
    private final int[] modesAbove;
    private final int[] modesLeft = new int[4];
    private final int[] aboveRight = new int[4];

    private Vp8Frame(byte[] bytes, int start, int length) throws IOException {
        if (length < START) {
            throw new EOFException("a frame has at least " + START + " bytes");
        }
        this.bytes = bytes;
        this.end = start + length;
        int tag = u24(start);
        if ((tag & 1) != 0 || u24(start + 3) != 0x2A019D) {
            throw new IOException("this is not a key frame");
        }
        this.width = u24(start + 6) & 0x3FFF;
        this.height = (u24(start + 7) >> 8) & 0x3FFF;
        if (width == 0 || height == 0) {
            throw new IOException("the frame has no pixels");
        }
        this.columns = (width + 15) / 16;
        this.rows = (height + 15) / 16;
        int firstEnd = start + START + (tag >> 5);
        if (firstEnd > end) {
            throw new EOFException("the first partition ends too early");
        }
        this.residuals = new Residuals(columns);
        this.header = new BoolDecoder(bytes, start + START, firstEnd);
        this.partitions = readHeader(firstEnd);
        this.luma = new Plane(16 * columns, 16 * rows);
        this.blue = new Plane(8 * columns, 8 * rows);
        this.red = new Plane(8 * columns, 8 * rows);
        this.strengths = new LoopFilter.Strength[Math.multiplyExact(columns, rows)];
        this.modesAbove = new int[4 * columns];
    }

    /**
     * Decodes a frame to RGB, row by row, 3 bytes a pixel. The caller has checked that its size is one it wants to
     * allocate; data that is missing is an {@link EOFException}.
     */
    public static byte[] decode(byte[] bytes, int start, int length) throws IOException {
        Vp8Frame frame = new Vp8Frame(bytes, start, length);
        for (int row = 0; row < frame.rows; row++) {
            frame.decodeRow(row);
        }
        frame.smooth();
        return Colours.toRgb(frame.luma, frame.blue, frame.red, frame.width, frame.height);
    }

    private BoolDecoder[] readHeader(int firstEnd) throws IOException {
        header.unsigned(2); // colour space and clamping: decoders clamp in any case
        segmented = header.flag();
        if (segmented) {
            readSegments();
        }
        filter = new LoopFilter(header.flag());
        level = header.unsigned(6);
        sharpness = header.unsigned(3);
        levelDifferences = header.flag();
        if (levelDifferences && header.flag()) {
            int[] differences = new int[8];
            for (int i = 0; i < differences.length; i++) {
                differences[i] = header.optional(6);
            }
            intraDifference = differences[0];
            byBlocksDifference = differences[4];
        }
        int count = 1 << header.unsigned(2);
        BoolDecoder[] found = partitions(firstEnd, count);
        readQuantisers();
        header.flag(); // whether later frames keep the probabilities; there are none
        residuals.readProbabilities(header);
        if (header.flag()) {
            skipProbability = header.unsigned(8);
        }
        return found;
    }

    private void readSegments() throws IOException {
        segmentMap = header.flag();
        if (header.flag()) {
            segmentsAbsolute = header.flag();
            for (int i = 0; i < SEGMENTS; i++) {
                segmentQuantisers[i] = header.optional(7);
            }
            for (int i = 0; i < SEGMENTS; i++) {
                segmentLevels[i] = header.optional(6);
            }
        }
        for (int i = 0; segmentMap && i < segmentProbabilities.length; i++) {
            segmentProbabilities[i] = header.flag() ? header.unsigned(8) : 255;
        }
    }

    private void readQuantisers() throws IOException {
        int index = header.unsigned(7);
        int[] differences = new int[5];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = header.optional(4);
        }
        for (int i = 0; i < SEGMENTS; i++) {
            int own = segmentQuantisers[i] + (segmentsAbsolute ? 0 : index);
            quantisers[i] = Quantiser.of(segmented ? own : index, differences);
        }
    }

    /** Coefficients lie in 1 to 8 partitions, rows of macroblocks in turn; all lengths but the last's are written. */
    private BoolDecoder[] partitions(int sizesAt, int count) throws IOException {
        BoolDecoder[] found = new BoolDecoder[count];
        int at = sizesAt + 3 * (count - 1);
        for (int i = 0; i < count; i++) {
            if (at > end) {
                throw new EOFException("a partition is missing");
            }
            int stop = i == count - 1 ? end : Math.min(end, at + u24(sizesAt + 3 * i));
            found[i] = new BoolDecoder(bytes, at, stop);
            at = stop;
        }
        return found;
    }

    private void decodeRow(int row) throws IOException {
        Arrays.fill(modesLeft, 0);
        residuals.startRow();
        BoolDecoder tokens = partitions[row % partitions.length];
        for (int column = 0; column < columns; column++) {
            decodeMacroblock(row, column, tokens);
        }
    }

    private void decodeMacroblock(int row, int column, BoolDecoder tokens) throws IOException {
        int segment = 0;
        if (segmentMap) {
            segment = header.bit(segmentProbabilities[0]) == 0
                    ? header.bit(segmentProbabilities[1])
                    : 2 + header.bit(segmentProbabilities[2]);
        }
        boolean skipped = skipProbability >= 0 && header.bit(skipProbability) == 1;
        int mode = header.tree(Tables.LUMA_MODE_TREE, Tables.LUMA_MODE, 0);
        boolean byBlocks = mode == Prediction.BY_BLOCKS;
        int[] blockModes = byBlocks ? readBlockModes(column) : wholeMode(column, mode);
        int chromaMode = header.tree(Tables.CHROMA_MODE_TREE, Tables.CHROMA_MODE, 0);
        boolean coefficients = false;
        if (skipped) {
            residuals.skip(column, !byBlocks);
        } else {
            coefficients = residuals.read(tokens, column, !byBlocks, quantisers[segment]);
        }
        if (byBlocks) {
            predictByBlocks(row, column, blockModes);
        } else {
            int at = luma.at(16 * column, 16 * row);
            Prediction.whole(luma, at, 16, mode, row > 0, column > 0);
            for (int i = 0; i < 16; i++) {
                residuals.add(i, luma, at + i / 4 * 4 * luma.stride + i % 4 * 4);
            }
        }
        predictChroma(blue, 16, row, column, chromaMode);
        predictChroma(red, 20, row, column, chromaMode);
        strengths[row * columns + column] = strength(segment, byBlocks, byBlocks || coefficients);
    }

    private int[] readBlockModes(int column) throws IOException {
        int[] modes = new int[16];
        for (int i = 0; i < 16; i++) {
            int x = 4 * column + i % 4;
            int context = 9 * (10 * modesAbove[x] + modesLeft[i / 4]);
            modes[i] = header.tree(Tables.BLOCK_MODE_TREE, Tables.BLOCK_MODE, context);
            modesAbove[x] = modes[i];
            modesLeft[i / 4] = modes[i];
        }
        return modes;
    }

    private int[] wholeMode(int column, int mode) {
        Arrays.fill(modesAbove, 4 * column, 4 * column + 4, Prediction.AS_BLOCK_MODE[mode]);
        Arrays.fill(modesLeft, Prediction.AS_BLOCK_MODE[mode]);
        return modesLeft;
    }

    private void predictByBlocks(int row, int column, int[] modes) {
        int at = luma.at(16 * column, 16 * row);
        for (int i = 0; i < 16; i++) {
            int block = at + i / 4 * 4 * luma.stride + i % 4 * 4;
            for (int k = 0; k < 4; k++) {
                // The last column of blocks looks at the macroblock above to the right, whichever row it is in.
                int above = i % 4 < 3
                        ? block - luma.stride + 4 + k
                        : at - luma.stride + (row > 0 && column == columns - 1 ? 15 : 16 + k);
                aboveRight[k] = luma.get(above);
            }
            prediction.block(luma, block, modes[i], aboveRight);
            residuals.add(i, luma, block);
        }
    }

    private void predictChroma(Plane plane, int firstBlock, int row, int column, int mode) {
        int at = plane.at(8 * column, 8 * row);
        Prediction.whole(plane, at, 8, mode, row > 0, column > 0);
        for (int i = 0; i < 4; i++) {
            residuals.add(firstBlock + i, plane, at + i / 2 * 4 * plane.stride + i % 2 * 4);
        }
    }

    private LoopFilter.Strength strength(int segment, boolean byBlocks, boolean inner) {
        int own = level;
        if (segmented) {
            own = segmentLevels[segment] + (segmentsAbsolute ? 0 : level);
        }
        if (levelDifferences) {
            own += intraDifference + (byBlocks ? byBlocksDifference : 0);
        }
        return LoopFilter.Strength.of(own, sharpness, inner);
    }

    private void smooth() {
        for (int i = 0; level > 0 && i < strengths.length; i++) {
            int row = i / columns;
            int column = i % columns;
            LoopFilter.Strength strength = strengths[i];
            if (strength.limit() > 0) {
                filter.apply(luma, luma.at(16 * column, 16 * row), 16, strength, column > 0, row > 0);
                if (!filter.isSimple()) {
                    filter.apply(blue, blue.at(8 * column, 8 * row), 8, strength, column > 0, row > 0);
                    filter.apply(red, red.at(8 * column, 8 * row), 8, strength, column > 0, row > 0);
                }
            }
        }
    }

    private int u24(int at) throws EOFException {
        if (at + 3 > end) {
            throw new EOFException("the frame's header ends too early");
        }
        return (bytes[at] & 0xFF) | ((bytes[at + 1] & 0xFF) << 8) | ((bytes[at + 2] & 0xFF) << 16);
    }
}
