package io.github.gramian.lab;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A picture of regions with irregular borders, each filled with one of several photographs, and the classes of its pixels.
 *
 * @param picture of side × side pixels
 * @param labels class of each pixel, row by row
 * @param distances of each pixel to the nearest pixel of another class, in pixels, row by row
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not compared
record Mosaic(RgbImage picture, int[] labels, float[] distances) {

    /** Number of regions for each of the three sizes: small, medium and large. */
    private static final List<Integer> REGIONS = List.of(24, 9, 4);

    /** Waves that bend a border; each has half the length of the one before. */
    private static final int WAVES = 3;

    /** How many sizes of region there are. */
    static int sizes() {
        return REGIONS.size();
    }

    /**
     * A mosaic of photographs. The regions are the cells around random points, in coordinates that smooth waves have bent.
     *
     * @param materials photographs, which are continued by reflection
     * @param classes of the photographs
     * @param size 0 for small regions, 1 for medium, 2 for large ones
     */
    static Mosaic of(List<RgbImage> materials, int[] classes, int side, int size, Seed seed) {
        Random random = new Random(seed.value());
        int regions = Math.max(REGIONS.get(size), materials.size());
        double[][] points = new double[regions][];
        for (int i = 0; i < regions; i++) {
            points[i] = new double[] {side * random.nextDouble(), side * random.nextDouble()};
        }
        double[][] bends = {waves(random, side, regions), waves(random, side, regions)};
        int[][] corners = new int[materials.size()][];
        for (int i = 0; i < corners.length; i++) {
            RgbImage photograph = materials.get(i);
            corners[i] = new int[] {random.nextInt(2 * photograph.width()), random.nextInt(2 * photograph.height())};
        }
        byte[] pixels = new byte[3 * side * side];
        int[] labels = new int[side * side];
        for (int y = 0; y < side; y++) {
            for (int x = 0; x < side; x++) {
                int place = y * side + x;
                int material = nearest(points, x + bent(bends[0], x, y), y + bent(bends[1], x, y)) % corners.length;
                RgbImage photograph = materials.get(material);
                int from = reflected(x + corners[material][0], photograph.width());
                int row = reflected(y + corners[material][1], photograph.height());
                for (int c = 0; c < 3; c++) {
                    pixels[3 * place + c] = (byte) photograph.sample(from, row, c);
                }
                labels[place] = classes[material];
            }
        }
        return new Mosaic(new RgbImage(side, side, pixels), labels, distances(labels, side));
    }

    /** Of each wave: amplitude, frequencies and phase. */
    private static double[] waves(Random random, int side, int regions) {
        double[] waves = new double[4 * WAVES];
        double amplitude = 0.12 * side / Math.sqrt(regions);
        double frequency = 2 * Math.PI * Math.sqrt(regions) / side;
        for (int i = 0; i < WAVES; i++) {
            double direction = 2 * Math.PI * random.nextDouble();
            waves[4 * i] = amplitude;
            waves[4 * i + 1] = frequency * Math.cos(direction);
            waves[4 * i + 2] = frequency * Math.sin(direction);
            waves[4 * i + 3] = 2 * Math.PI * random.nextDouble();
            amplitude /= 1.5;
            frequency *= 2;
        }
        return waves;
    }

    private static double bent(double[] waves, int x, int y) {
        double sum = 0;
        for (int i = 0; i < WAVES; i++) {
            sum += waves[4 * i] * Math.sin(waves[4 * i + 1] * x + waves[4 * i + 2] * y + waves[4 * i + 3]);
        }
        return sum;
    }

    private static int nearest(double[][] points, double x, double y) {
        int nearest = 0;
        double smallest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < points.length; i++) {
            double distance = Math.hypot(points[i][0] - x, points[i][1] - y);
            if (distance < smallest) {
                smallest = distance;
                nearest = i;
            }
        }
        return nearest;
    }

    private static int reflected(int position, int length) {
        int folded = position % (2 * length);
        return folded < length ? folded : 2 * length - 1 - folded;
    }

    /** By two passes over the pixels, with steps of 1 and √2. */
    private static float[] distances(int[] labels, int side) {
        float[] distances = new float[labels.length];
        Arrays.fill(distances, 2 * side);
        for (int i = 0; i < labels.length; i++) {
            boolean right = i % side + 1 < side && labels[i + 1] != labels[i];
            boolean below = i + side < labels.length && labels[i + side] != labels[i];
            if (right) {
                distances[i] = distances[i + 1] = 1;
            }
            if (below) {
                distances[i] = distances[i + side] = 1;
            }
        }
        for (int i = 0; i < labels.length; i++) {
            shorten(distances, side, i, -1);
        }
        for (int i = labels.length - 1; i >= 0; i--) {
            shorten(distances, side, i, 1);
        }
        return distances;
    }

    /** @param step −1 for the neighbours above and to the left, 1 for those below and to the right */
    private static void shorten(float[] distances, int side, int place, int step) {
        int x = place % side;
        int y = place / side;
        int[][] neighbours = {{step, 0}, {-1, step}, {0, step}, {1, step}};
        for (int[] to : neighbours) {
            int column = x + to[0];
            int row = y + to[1];
            if (column >= 0 && column < side && row >= 0 && row < side) {
                float length = to[0] == 0 || to[1] == 0 ? 1 : (float) Math.sqrt(2);
                distances[place] = Math.min(distances[place], distances[row * side + column] + length);
            }
        }
    }
}
