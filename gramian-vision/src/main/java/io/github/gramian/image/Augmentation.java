package io.github.gramian.image;

import io.github.gramian.image.Augmentations.ColourJitter;
import io.github.gramian.image.Augmentations.CorruptedView;
import io.github.gramian.image.Augmentations.RandomCorruption;
import io.github.gramian.image.Augmentations.RandomErasing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.tensor.Seed;
import java.util.List;

/** A change to a view that keeps its class, usually a random one; the same seed always makes the same change. */
public sealed interface Augmentation
        permits Augmentation.Mirror, ColourJitter, CorruptedView, RandomCorruption, RandomErasing {

    /**
     * Random brightness, contrast, saturation and hue, in random order: factors uniform on [max(0, 1 − strength), 1 +
     * strength], and a turn of the hue by a fraction of the circle uniform on [−hue, hue].
     */
    static Augmentation colourJitter(double brightness, double contrast, double saturation, double hue) {
        return new ColourJitter(brightness, contrast, saturation, hue);
    }

    /** With this probability a random rectangle, 2 to 33 % of the view, is replaced by noise. */
    static Augmentation randomErasing(double probability) {
        return new RandomErasing(probability);
    }

    /**
     * A corruption, such as {@code fog}, at a severity of 1..5. It measures how robust a model is, and does the same to the same
     * pixels whatever the seed is.
     */
    static Augmentation corruption(String name, int severity) {
        return new CorruptedView(new Corruption(CorruptionType.of(name), severity));
    }

    /**
     * One of these corruptions at a severity from the lowest to the highest, drawn at random for each view: for images that a
     * classifier learns from.
     */
    static Augmentation corruption(List<String> names, int lowest, int highest) {
        return new RandomCorruption(CorruptionType.list(names), lowest, highest);
    }

    /** Whether the seed changes the result. */
    default boolean isRandom() {
        return true;
    }

    /** The changed view, of the same size; the given view is not changed. */
    RgbImage apply(RgbImage view, Seed seed);

    /** The augmentation in recipes and cache keys. */
    String key();

    /** Left and right exchanged, with this probability. */
    record Mirror(double probability) implements Augmentation {
        public Mirror {
            if (!(probability >= 0 && probability <= 1)) {
                throw new IllegalArgumentException("a probability lies in 0..1, not " + probability);
            }
        }

        @Override
        public RgbImage apply(RgbImage view, Seed seed) {
            return new Draws(seed).with(probability) ? view.mirrored() : view;
        }

        @Override
        public String key() {
            return "mirror:" + probability;
        }
    }
}
