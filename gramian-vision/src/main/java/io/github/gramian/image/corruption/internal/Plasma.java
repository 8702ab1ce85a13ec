package io.github.gramian.image.corruption.internal;

/**
 * Clouds by the diamond-square algorithm: each round halves the distance of the points and adds random values, whose range
 * shrinks by the square of {@code decay}.
 */
final class Plasma {

    private final int size;
    private final double[] map;
    private final Draws draws;
    private double wobble = 100;

    private Plasma(int size, Draws draws) {
        this.size = size;
        this.map = new double[size * size];
        this.draws = draws;
    }

    /** Values in 0..1, a part of a square whose side is a power of two. A small decay makes fine structures. */
    static Plane clouds(int width, int height, double decay, Draws draws) {
        int side = Math.max(2, Math.max(width, height));
        int size = Integer.highestOneBit(side - 1) << 1;
        Plasma plasma = new Plasma(size, draws);
        for (int step = size; step >= 2; step /= 2) {
            plasma.squares(step);
            plasma.diamonds(step);
            plasma.wobble /= decay;
        }
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (double value : plasma.map) {
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        double low = least;
        double range = most - least;
        return new Plane(size, size, plasma.map)
                .map(value -> (value - low) / range)
                .cut(0, 0, width, height);
    }

    /** The middle of each square: the mean of its corners plus a random value. */
    private void squares(int step) {
        int half = step / 2;
        for (int y = 0; y < size; y += step) {
            for (int x = 0; x < size; x += step) {
                double corners = at(x, y) + at(x + step, y) + at(x, y + step) + at(x + step, y + step);
                map[(y + half) * size + x + half] = wobbled(corners);
            }
        }
    }

    /** The middle of each side of a square: the mean of both ends and the two squares' middles, plus a random value. */
    private void diamonds(int step) {
        int half = step / 2;
        for (int y = 0; y < size; y += step) {
            for (int x = 0; x < size; x += step) {
                double upper = at(x, y) + at(x + step, y) + at(x + half, y + half) + at(x + half, y - half);
                map[y * size + x + half] = wobbled(upper);
                double left = at(x, y) + at(x, y + step) + at(x + half, y + half) + at(x - half, y + half);
                map[(y + half) * size + x] = wobbled(left);
            }
        }
    }

    private double wobbled(double sumOfFour) {
        return sumOfFour / 4 + wobble * draws.between(-wobble, wobble);
    }

    /** The map repeats itself beyond its borders. */
    private double at(int x, int y) {
        return map[Math.floorMod(y, size) * size + Math.floorMod(x, size)];
    }
}
