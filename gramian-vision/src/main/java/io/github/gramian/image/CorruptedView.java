package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.tensor.Seed;

/**
 * A view made worse, to measure how robust a model is. The given seed does not matter: the same pixels are always corrupted in
 * the same way, so that all models are evaluated on the same images and features of corrupted images can be cached.
 */
record CorruptedView(Corruption corruption) implements Augmentation {

    private static final Seed SEED = new Seed(0);

    @Override
    public RgbImage apply(RgbImage view, Seed seed) {
        return corruption.apply(view, SEED);
    }

    @Override
    public boolean isRandom() {
        return false;
    }

    @Override
    public String key() {
        return "corrupt:" + corruption.key();
    }
}
