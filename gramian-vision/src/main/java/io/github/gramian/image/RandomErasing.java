package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;

/**
 * A rectangle of noise over a part of the view (Zhong et al., random erasing): with probability p, a share s of the area
 * uniform on [0.02, 0.33] and an aspect r = height/width with ln r uniform on [−ln 3.3, ln 3.3]. A rectangle of h = √(s·r·A) by w
 * = √(s·A/r) pixels that does not fit is drawn again, at most ten times; then nothing is erased. Its place is uniform, and so
 * is each of its samples on 0..255.
 */
record RandomErasing(double probability) implements Augmentation {

    private static final double SMALLEST = 0.02;
    private static final double LARGEST = 0.33;
    private static final double ASPECT = 3.3;
    private static final int TRIES = 10;

    RandomErasing {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("a probability lies in 0..1, not " + probability);
        }
    }

    @Override
    public String key() {
        return "erase:" + probability;
    }

    @Override
    public RgbImage apply(RgbImage view, Seed seed) {
        Draws draws = new Draws(seed);
        if (!draws.with(probability)) {
            return view;
        }
        for (int i = 0; i < TRIES; i++) {
            double area = draws.between(SMALLEST, LARGEST) * view.width() * view.height();
            double aspect = Math.exp(draws.between(-Math.log(ASPECT), Math.log(ASPECT)));
            int height = (int) Math.round(Math.sqrt(area * aspect));
            int width = (int) Math.round(Math.sqrt(area / aspect));
            if (height >= 1 && width >= 1 && height <= view.height() && width <= view.width()) {
                int x = draws.upTo(view.width() - width);
                int y = draws.upTo(view.height() - height);
                return erased(view, new Rectangle(x, y, width, height), seed.child("noise"));
            }
        }
        return view;
    }

    private record Rectangle(int x, int y, int width, int height) {}

    private static RgbImage erased(RgbImage view, Rectangle part, Seed seed) {
        byte[] rgb = view.pixels().clone();
        byte[] row = new byte[3 * part.width()];
        var random = seed.random();
        for (int y = part.y(); y < part.y() + part.height(); y++) {
            random.nextBytes(row);
            System.arraycopy(row, 0, rgb, 3 * (y * view.width() + part.x()), row.length);
        }
        return new RgbImage(view.width(), view.height(), rgb);
    }
}
