package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Plane.Border;

/**
 * Crystals with six arms and side branches at 60°, in front of clouds. There is one crystal per 1600 pixels on average, with
 * arms of 12 to 48 pixels.
 */
final class IcePattern {

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
