package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Planes.Plane;
import io.github.gramian.image.corruption.internal.Planes.Plane.Border;
import java.util.ArrayList;
import java.util.List;

/** Weather and light. */
final class Weather {

    private static final double[] FOG_DENSITY = {1.5, 2, 2.5, 2.5, 3};
    private static final double[] FOG_DECAY = {2, 2, 1.7, 1.5, 1.4};
    private static final double[] BRIGHTNESS = {.1, .2, .3, .4, .5};

    private static final double[] ICE_IMAGE = {1, .8, .7, .65, .6};
    private static final double[] ICE_LAYER = {.4, .6, .7, .7, .75};

    /** Shares of red, green and blue in the colour of ice. */
    private static final double[] ICE_COLOUR = {.85, .93, 1};

    private static final List<Snowfall> SNOW = List.of(
            new Snowfall(.1, 3, .5, 10, 4, .8),
            new Snowfall(.2, 2, .5, 12, 4, .7),
            new Snowfall(.55, 4, .9, 12, 8, .7),
            new Snowfall(.55, 4.5, .85, 12, 8, .65),
            new Snowfall(.55, 2.5, .85, 12, 12, .55));

    private static final double FLAKE_DEVIATION = .3;

    private Weather() {}

    /**
     * One severity of snow.
     *
     * @param mean of the normal values that flakes are cut from
     * @param zoom size of flakes
     * @param threshold values below it are not snow
     * @param radius of the flakes' motion blur
     * @param sigma of the flakes' motion blur
     * @param image share of the image's own colours; the rest is whitened
     */
    private record Snowfall(double mean, double zoom, double threshold, int radius, double sigma, double image) {}

    /** Clouds in front of the image. */
    static Planes fog(Planes image, int severity, Draws draws) {
        double density = FOG_DENSITY[severity - 1];
        Plane clouds = Plasma.clouds(image.width(), image.height(), FOG_DECAY[severity - 1], draws);
        double brightest = 0;
        for (Plane plane : image.planes()) {
            for (double value : plane.values()) {
                brightest = Math.max(brightest, value);
            }
        }
        double scale = brightest / (brightest + density);
        return image.each(plane -> sum(plane, scale, clouds, density * scale));
    }

    /** More light: adds to the value in the colour space HSV; hue and saturation do not change. */
    static Planes brightness(Planes image, int severity, Draws draws) {
        double added = BRIGHTNESS[severity - 1];
        double[][] values = new double[3][image.width() * image.height()];
        for (int i = 0; i < values[0].length; i++) {
            double most = Math.max(image.values(0)[i], Math.max(image.values(1)[i], image.values(2)[i]));
            double wanted = Math.min(1, most + added);
            for (int c = 0; c < 3; c++) {
                values[c][i] = most == 0 ? wanted : image.values(c)[i] * wanted / most;
            }
        }
        List<Plane> planes = new ArrayList<>();
        for (double[] plane : values) {
            planes.add(new Plane(image.width(), image.height(), plane));
        }
        return new Planes(planes);
    }

    /** Falling flakes, once as drawn and once upside down, in front of a whitened image. */
    static Planes snow(Planes image, int severity, Draws draws) {
        Snowfall snow = SNOW.get(severity - 1);
        Plane flakes = flakes(image.width(), image.height(), snow, draws);
        double[] layer = flakes.values();
        double[] red = image.values(0);
        double[] green = image.values(1);
        double[] blue = image.values(2);
        return image.each(plane -> {
            double[] values = new double[layer.length];
            for (int i = 0; i < values.length; i++) {
                double grey = .299 * red[i] + .587 * green[i] + .114 * blue[i];
                double own = plane.values()[i];
                double white = Math.max(own, grey * 1.5 + .5);
                values[i] = snow.image * own + (1 - snow.image) * white + layer[i] + layer[layer.length - 1 - i];
            }
            return new Plane(plane.width(), plane.height(), values);
        });
    }

    private static Plane flakes(int width, int height, Snowfall snow, Draws draws) {
        Plane random = new Plane(width, height, new double[width * height])
                .map(nothing -> snow.mean + FLAKE_DEVIATION * draws.normal());
        double angle = draws.between(-135, -45);
        Plane flakes = Geometry.zoomed(random, snow.zoom)
                .map(value -> value < snow.threshold ? 0 : value)
                .truncated();
        return Blur.alongLine(flakes, snow.radius, snow.sigma, angle);
    }

    /**
     * Ice on the lens. It takes the place of ImageNet-C's frost, which blends in photographs: the weights are the same, the
     * pattern is drawn.
     */
    static Planes ice(Planes image, int severity, Draws draws) {
        Plane pattern = IcePattern.draw(image.width(), image.height(), draws);
        List<Plane> iced = new ArrayList<>();
        for (int c = 0; c < 3; c++) {
            iced.add(sum(
                    image.planes().get(c), ICE_IMAGE[severity - 1], pattern, ICE_LAYER[severity - 1] * ICE_COLOUR[c]));
        }
        return new Planes(iced);
    }

    private static Plane sum(Plane first, double firstWeight, Plane second, double secondWeight) {
        double[] values = new double[first.values().length];
        for (int i = 0; i < values.length; i++) {
            values[i] = firstWeight * first.values()[i] + secondWeight * second.values()[i];
        }
        return new Plane(first.width(), first.height(), values);
    }

    /**
     * Crystals with six arms and side branches at 60°, in front of clouds. There is one crystal per 1600 pixels on average, with
     * arms of 12 to 48 pixels.
     */
    static final class IcePattern {

        private static final double PIXELS_PER_CRYSTAL = 1600;
        private static final double SHORTEST_ARM = 12;
        private static final double LONGEST_ARM = 48;
        private static final int BRANCH_DISTANCE = 6;
        private static final double BRANCH_LENGTH = .4;
        private static final double STEP = .5;

        private final int width;
        private final int height;
        private final double[] crystals;

        private IcePattern(int width, int height) {
            this.width = width;
            this.height = height;
            this.crystals = new double[width * height];
        }

        /** Values in 0..1. */
        static Plane draw(int width, int height, Draws draws) {
            double[] clouds = Plasma.clouds(width, height, 2, draws).values();
            IcePattern pattern = new IcePattern(width, height);
            int count = (int) Math.max(1, Math.rint(width * height / PIXELS_PER_CRYSTAL));
            for (int i = 0; i < count; i++) {
                pattern.crystal(
                        draws.between(0, width),
                        draws.between(0, height),
                        draws.between(0, Math.PI / 3),
                        draws.between(SHORTEST_ARM, LONGEST_ARM));
            }
            double[] soft = Filters.gaussian(new Plane(width, height, pattern.crystals), .7, 4, Border.NEAREST)
                    .values();
            double[] both = new double[soft.length];
            for (int i = 0; i < both.length; i++) {
                both[i] = Math.min(1, .6 * clouds[i] + .7 * Math.min(1, 1.5 * soft[i]));
            }
            return new Plane(width, height, both);
        }

        private void crystal(double x, double y, double turn, double length) {
            for (int arm = 0; arm < 6; arm++) {
                double angle = turn + arm * Math.PI / 3;
                line(x, y, angle, length);
                for (int along = BRANCH_DISTANCE; along < length; along += BRANCH_DISTANCE) {
                    double fromX = x + along * StrictMath.cos(angle);
                    double fromY = y + along * StrictMath.sin(angle);
                    line(fromX, fromY, angle + Math.PI / 3, BRANCH_LENGTH * (length - along));
                    line(fromX, fromY, angle - Math.PI / 3, BRANCH_LENGTH * (length - along));
                }
            }
        }

        /** A line that fades from 1 to 0.4. */
        private void line(double fromX, double fromY, double angle, double length) {
            for (double along = 0; along < length; along += STEP) {
                int x = (int) Math.floor(fromX + along * StrictMath.cos(angle));
                int y = (int) Math.floor(fromY + along * StrictMath.sin(angle));
                if (x >= 0 && x < width && y >= 0 && y < height) {
                    double value = 1 - .6 * along / length;
                    crystals[y * width + x] = Math.max(crystals[y * width + x], value);
                }
            }
        }
    }

    /**
     * Clouds by the diamond-square algorithm: each round halves the distance of the points and adds random values, whose range
     * shrinks by the square of {@code decay}.
     */
    static final class Plasma {

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
}
