package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.image.codec.RgbImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * 64 bits that do not change with size, quality or brightness: the signs, against their median, of the lowest 8×8
 * coefficients of the cosine transform of a 32×32 grey thumbnail. The same picture in another size or quality differs in a
 * few bits, two different pictures in about 32.
 */
final class PerceptualHash {

    private static final int SIDE = 32;
    private static final int KEPT = 8;

    /** Grey levels; below it the signs are those of noise, and all blank images would look alike. */
    private static final double FLATTEST = 2;

    /** cos(π(2x+1)u / 2·SIDE), row u. */
    private static final double[][] COSINES = cosines();

    private PerceptualHash() {}

    /** The hash, or nothing for an image that is all but blank. */
    static OptionalLong of(RgbImage image) {
        GreyThumbnail thumbnail = GreyThumbnail.of(image, SIDE);
        return thumbnail.deviation() < FLATTEST ? OptionalLong.empty() : OptionalLong.of(bits(lowest(thumbnail)));
    }

    private static double[] lowest(GreyThumbnail thumbnail) {
        double[][] rows = new double[SIDE][KEPT];
        for (int y = 0; y < SIDE; y++) {
            for (int u = 0; u < KEPT; u++) {
                double sum = 0;
                for (int x = 0; x < SIDE; x++) {
                    sum += thumbnail.level(y * SIDE + x) * COSINES[u][x];
                }
                rows[y][u] = sum;
            }
        }
        double[] coefficients = new double[KEPT * KEPT];
        for (int v = 0; v < KEPT; v++) {
            for (int u = 0; u < KEPT; u++) {
                double sum = 0;
                for (int y = 0; y < SIDE; y++) {
                    sum += rows[y][u] * COSINES[v][y];
                }
                coefficients[v * KEPT + u] = sum;
            }
        }
        // The mean brightness does not characterise the picture.
        coefficients[0] = 0;
        return coefficients;
    }

    private static long bits(double[] coefficients) {
        double[] sorted = coefficients.clone();
        Arrays.sort(sorted);
        double median = (sorted[KEPT * KEPT / 2 - 1] + sorted[KEPT * KEPT / 2]) / 2;
        long bits = 0;
        for (int i = 1; i < coefficients.length; i++) {
            if (coefficients[i] > median) {
                bits |= 1L << i;
            }
        }
        return bits;
    }

    private static double[][] cosines() {
        double[][] cosines = new double[KEPT][SIDE];
        for (int u = 0; u < KEPT; u++) {
            for (int x = 0; x < SIDE; x++) {
                cosines[u][x] = Math.cos(Math.PI * (2 * x + 1) * u / (2.0 * SIDE));
            }
        }
        return cosines;
    }

    /**
     * Finds hashes within {@value #RADIUS} bits of a given one without comparing all. The 64 bits are four pieces of 16; two
     * hashes that differ in at most 11 bits differ in at most two bits of some piece, so looking up the 137 values that are
     * that near in each of four tables meets every neighbour. With n different hashes spread evenly that takes 548·n/65536
     * comparisons a query: 800 for 100,000.
     */
    static final class HammingIndex {

        private static final int PIECES = 4;
        private static final int PIECE_BITS = 16;
        private static final int VALUES = 1 << PIECE_BITS;
        private static final int FLIPS = 2;

        /** The most bits in which neighbours differ. */
        static final int RADIUS = PIECES * (FLIPS + 1) - 1;

        private static final int[] MASKS = IntStream.range(0, VALUES)
                .filter(mask -> Integer.bitCount(mask) <= FLIPS)
                .toArray();

        /** Every different hash once, so that a crowd of equal ones costs no more than one. */
        private final long[] distinct;
        /** For each different hash: the positions it was given at. */
        private final List<List<Integer>> positions = new ArrayList<>();
        /** For each piece: where in {@link #order} the hashes with a value of the piece begin. */
        private final int[][] starts = new int[PIECES][VALUES + 1];
        /** For each piece: indices into the different hashes, sorted by the piece's value. */
        private final int[][] order = new int[PIECES][];

        /** A hash that was found: its position among those given, and in how many bits it differs. */
        record Neighbour(int position, int distance) {}

        HammingIndex(long[] hashes) {
            distinct = Arrays.stream(hashes).sorted().distinct().toArray();
            for (int i = 0; i < distinct.length; i++) {
                positions.add(new ArrayList<>(1));
            }
            for (int position = 0; position < hashes.length; position++) {
                positions.get(Arrays.binarySearch(distinct, hashes[position])).add(position);
            }
            for (int piece = 0; piece < PIECES; piece++) {
                fill(piece);
            }
        }

        private void fill(int piece) {
            int[] begin = starts[piece];
            for (long hash : distinct) {
                begin[value(hash, piece) + 1]++;
            }
            Arrays.parallelPrefix(begin, Integer::sum);
            int[] next = begin.clone();
            order[piece] = new int[distinct.length];
            for (int i = 0; i < distinct.length; i++) {
                order[piece][next[value(distinct[i], piece)]++] = i;
            }
        }

        /** The nearest neighbours of a hash, nearest first, at most as many as asked for. */
        List<Neighbour> near(long hash, int atMost) {
            List<Neighbour> found = new ArrayList<>();
            for (int piece = 0; piece < PIECES; piece++) {
                for (int mask : MASKS) {
                    scan(hash, piece, value(hash, piece) ^ mask, found);
                }
            }
            return found.stream()
                    .sorted(Comparator.comparingInt(Neighbour::distance).thenComparingInt(Neighbour::position))
                    .flatMap(near -> positions.get(near.position()).stream()
                            .limit(atMost)
                            .map(position -> new Neighbour(position, near.distance())))
                    .limit(atMost)
                    .toList();
        }

        /** Adds neighbours by their index among the different hashes. */
        private void scan(long hash, int piece, int value, List<Neighbour> found) {
            for (int at = starts[piece][value]; at < starts[piece][value + 1]; at++) {
                int index = order[piece][at];
                long difference = hash ^ distinct[index];
                int distance = Long.bitCount(difference);
                if (distance <= RADIUS && firstNearPiece(difference) == piece) {
                    found.add(new Neighbour(index, distance));
                }
            }
        }

        /** A neighbour is met in the table of each piece that is near; only the first of them reports it. */
        private static int firstNearPiece(long difference) {
            int piece = 0;
            while (piece < PIECES && Integer.bitCount(value(difference, piece)) > FLIPS) {
                piece++;
            }
            return piece;
        }

        private static int value(long hash, int piece) {
            return (int) (hash >>> (piece * PIECE_BITS)) & (VALUES - 1);
        }
    }
}
