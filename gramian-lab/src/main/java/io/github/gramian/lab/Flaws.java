package io.github.gramian.lab;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Synthetic flaws in photographs of surfaces: their sizes are shares of the photograph, so they do not depend on its resolution. */
final class Flaws {

    private static final Resampler RESAMPLER = new Resampler(Interpolation.BILINEAR);

    /** Side of the grid of random numbers whose interpolation makes an outline irregular. */
    private static final int NOISE = 9;

    private final List<Path> textures;

    enum Kind {
        /** Another texture of the same mean and deviation in 1 to 4 % of the area, opacity 0.5 to 0.9. */
        FOREIGN,
        /** A square of 10 to 18 % of the side, turned, brightness ± 10 %, in another place. */
        CUT_PASTE,
        /** A line of a quarter to half the side, 2 pixels wide, brighter or darker by 1.5 to 2.5 deviations. */
        SCRATCH,
        /** 2 to 5 % of the area, darkened by 25 to 45 %, with a soft edge. */
        STAIN,
        /** 2 to 5 % of the area, blurred by 2.5 pixels. */
        WORN;

        String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * A photograph with a flaw.
     *
     * @param mask whether each pixel belongs to the flaw, row by row
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    record Flawed(RgbImage image, boolean[] mask) {}

    /** @param textures image files that foreign textures are taken from */
    Flaws(List<Path> textures) {
        this.textures = List.copyOf(textures);
    }

    /** The same photograph with one flaw. */
    Flawed add(Kind kind, RgbImage image, Seed seed) {
        Canvas canvas = new Canvas(image, seed.random());
        boolean[] mask = switch (kind) {
            case FOREIGN -> canvas.foreign(texture(image.width(), image.height(), seed.child("texture")));
            case CUT_PASTE -> canvas.pasted();
            case SCRATCH -> canvas.scratched();
            case STAIN -> canvas.stained();
            case WORN -> canvas.worn();
        };
        return new Flawed(canvas.image(), mask);
    }

    /** The pixels of an image file. */
    static RgbImage decoded(Path file) {
        if (ImageDecoder.forLocalFiles().decode(file) instanceof Decoded.Picture picture) {
            return picture.image();
        }
        throw new IllegalArgumentException(file + " is not an image; remove it from the directory");
    }

    /** A part of a random texture, enlarged if it is too small. */
    private RgbImage texture(int width, int height, Seed seed) {
        SplittableRandom random = seed.random();
        Path file = textures.get(random.nextInt(textures.size()));
        RgbImage whole = decoded(file);
        double scale = Math.max(1, Math.max((double) width / whole.width(), (double) height / whole.height()));
        RgbImage large = RESAMPLER.resize(
                whole, (int) Math.ceil(whole.width() * scale), (int) Math.ceil(whole.height() * scale));
        int x = random.nextInt(large.width() - width + 1);
        int y = random.nextInt(large.height() - height + 1);
        return large.cut(new Window(x, y, width, height, false));
    }

    /** The pixels of one photograph while they change. */
    private static final class Canvas {

        private final int width;
        private final int height;
        private final SplittableRandom random;

        /** Three planes: red, green, blue. */
        private final double[][] planes;

        Canvas(RgbImage image, SplittableRandom random) {
            this.width = image.width();
            this.height = image.height();
            this.random = random;
            this.planes = planes(image);
        }

        private static double[][] planes(RgbImage image) {
            double[][] planes = new double[3][image.width() * image.height()];
            for (int i = 0; i < planes[0].length; i++) {
                for (int c = 0; c < 3; c++) {
                    planes[c][i] = image.pixels()[3 * i + c] & 0xFF;
                }
            }
            return planes;
        }

        RgbImage image() {
            byte[] pixels = new byte[3 * width * height];
            for (int i = 0; i < width * height; i++) {
                for (int c = 0; c < 3; c++) {
                    pixels[3 * i + c] = (byte) Math.round(Math.max(0, Math.min(255, planes[c][i])));
                }
            }
            return new RgbImage(width, height, pixels);
        }

        boolean[] foreign(RgbImage texture) {
            boolean[] mask = blob(uniform(0.01, 0.04));
            double opacity = uniform(0.5, 0.9);
            double[][] other = planes(texture);
            if (Arrays.equals(planes[0], planes[1]) && Arrays.equals(planes[1], planes[2])) {
                // On a grey photograph, the texture is grey.
                double[] grey = new double[width * height];
                for (int i = 0; i < grey.length; i++) {
                    grey[i] = (other[0][i] + other[1][i] + other[2][i]) / 3;
                }
                other = new double[][] {grey, grey, grey};
            }
            for (int c = 0; c < 3; c++) {
                double[] from = moments(other[c], mask);
                double[] to = moments(planes[c], mask);
                for (int i = 0; i < mask.length; i++) {
                    if (mask[i]) {
                        double matched = (other[c][i] - from[0]) / Math.max(from[1], 1e-6) * to[1] + to[0];
                        planes[c][i] += opacity * (matched - planes[c][i]);
                    }
                }
            }
            return mask;
        }

        boolean[] pasted() {
            int side = (int) Math.round(uniform(0.10, 0.18) * Math.min(width, height));
            int fromX = random.nextInt(width - side + 1);
            int fromY = random.nextInt(height - side + 1);
            int toX = fromX;
            int toY = fromY;
            while (Math.abs(toX - fromX) < side && Math.abs(toY - fromY) < side) {
                toX = random.nextInt(width - side + 1);
                toY = random.nextInt(height - side + 1);
            }
            int turns = random.nextInt(4);
            double brightness = uniform(0.9, 1.1);
            boolean[] mask = new boolean[width * height];
            for (int c = 0; c < 3; c++) {
                for (int y = 0; y < side; y++) {
                    for (int x = 0; x < side; x++) {
                        int back = side - 1;
                        int sourceX = turns == 0 ? x : turns == 1 ? y : turns == 2 ? back - x : back - y;
                        int sourceY = turns == 0 ? y : turns == 1 ? back - x : turns == 2 ? back - y : x;
                        int target = (toY + y) * width + toX + x;
                        planes[c][target] = brightness * planes[c][(fromY + sourceY) * width + fromX + sourceX];
                        mask[target] = true;
                    }
                }
            }
            return mask;
        }

        boolean[] scratched() {
            boolean[] mask = new boolean[width * height];
            double length = uniform(0.25, 0.5) * Math.min(width, height);
            double x = uniform(0.2, 0.8) * width;
            double y = uniform(0.2, 0.8) * height;
            double direction = uniform(0, 2 * Math.PI);
            for (int step = 0; step < 2 * length; step++) {
                for (int row = (int) y; row < (int) y + 2; row++) {
                    for (int column = (int) x; column < (int) x + 2; column++) {
                        mask[row * width + column] = true;
                    }
                }
                direction += 0.06 * random.nextGaussian();
                double nextX = x + 0.5 * Math.cos(direction);
                double nextY = y + 0.5 * Math.sin(direction);
                if (nextX < 0 || nextX >= width - 1 || nextY < 0 || nextY >= height - 1) {
                    direction += Math.PI / 2;
                } else {
                    x = nextX;
                    y = nextY;
                }
            }
            double change = (random.nextBoolean() ? 1 : -1) * uniform(1.5, 2.5);
            for (double[] plane : planes) {
                double deviation = moments(plane, null)[1];
                for (int i = 0; i < mask.length; i++) {
                    plane[i] += mask[i] ? change * deviation : 0;
                }
            }
            return mask;
        }

        boolean[] stained() {
            boolean[] mask = blob(uniform(0.02, 0.05));
            double darker = uniform(0.25, 0.45);
            double[] edge = new double[mask.length];
            for (int i = 0; i < mask.length; i++) {
                edge[i] = mask[i] ? 1 : 0;
            }
            double[] soft = blurred(edge, 2);
            for (double[] plane : planes) {
                for (int i = 0; i < mask.length; i++) {
                    plane[i] *= 1 - darker * soft[i];
                }
            }
            return mask;
        }

        boolean[] worn() {
            boolean[] mask = blob(uniform(0.02, 0.05));
            for (double[] plane : planes) {
                double[] smooth = blurred(plane, 2.5);
                for (int i = 0; i < mask.length; i++) {
                    plane[i] = mask[i] ? smooth[i] : plane[i];
                }
            }
            return mask;
        }

        private double uniform(double low, double high) {
            return low + (high - low) * random.nextDouble();
        }

        /** A disc with an irregular outline, of exactly this share of the area. */
        private boolean[] blob(double share) {
            int count = (int) Math.round(share * width * height);
            double radius = Math.sqrt(count / Math.PI);
            double centreX = uniform(radius, width - radius);
            double centreY = uniform(radius, height - radius);
            double[] noise = random.doubles(NOISE * NOISE, -0.6, 0.6).toArray();
            double[] distance = new double[width * height];
            for (int i = 0; i < distance.length; i++) {
                int x = i % width;
                int y = i / width;
                double own = Math.hypot(x - centreX, y - centreY) / radius;
                // Beyond twice the radius, noise must not make islands.
                distance[i] = own > 2 ? own + 1 : own + at(noise, x, y);
            }
            double[] sorted = distance.clone();
            Arrays.sort(sorted);
            boolean[] mask = new boolean[distance.length];
            for (int i = 0; i < mask.length; i++) {
                mask[i] = distance[i] < sorted[count];
            }
            return mask;
        }

        /** Random numbers on a grid, interpolated. */
        private double at(double[] grid, int x, int y) {
            double column = (double) x / width * (NOISE - 1);
            double row = (double) y / height * (NOISE - 1);
            int left = (int) column;
            int top = (int) row;
            int first = top * NOISE + left;
            double right = column - left;
            double down = row - top;
            double upper = grid[first] + right * (grid[first + 1] - grid[first]);
            double lower = grid[first + NOISE] + right * (grid[first + NOISE + 1] - grid[first + NOISE]);
            return upper + down * (lower - upper);
        }

        /** Mean and standard deviation of the pixels under a mask, or of all. */
        private static double[] moments(double[] plane, boolean @Nullable [] mask) {
            double sum = 0;
            double squares = 0;
            int count = 0;
            for (int i = 0; i < plane.length; i++) {
                if (mask == null || mask[i]) {
                    sum += plane[i];
                    squares += plane[i] * plane[i];
                    count++;
                }
            }
            double mean = sum / count;
            return new double[] {mean, Math.sqrt(Math.max(0, squares / count - mean * mean))};
        }

        /** Convolved with a bell, along rows and then along columns; borders are mirrored. */
        private double[] blurred(double[] plane, double sigma) {
            int radius = (int) Math.ceil(3 * sigma);
            double[] bell = new double[2 * radius + 1];
            for (int i = 0; i < bell.length; i++) {
                bell[i] = Math.exp(-(i - radius) * (i - radius) / (2 * sigma * sigma));
            }
            double sum = Arrays.stream(bell).sum();
            double[] rows = new double[plane.length];
            double[] both = new double[plane.length];
            for (int i = 0; i < plane.length; i++) {
                for (int k = 0; k < bell.length; k++) {
                    int x = mirrored(i % width + k - radius, width);
                    rows[i] += bell[k] / sum * plane[i / width * width + x];
                }
            }
            for (int i = 0; i < plane.length; i++) {
                for (int k = 0; k < bell.length; k++) {
                    int y = mirrored(i / width + k - radius, height);
                    both[i] += bell[k] / sum * rows[y * width + i % width];
                }
            }
            return both;
        }

        private static int mirrored(int place, int length) {
            return place < 0 ? -place : place >= length ? 2 * length - 2 - place : place;
        }
    }
}
