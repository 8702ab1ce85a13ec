package io.github.gramian.image.corruption.internal;

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
        Plane flakes = Warp.zoomed(random, snow.zoom)
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
}
