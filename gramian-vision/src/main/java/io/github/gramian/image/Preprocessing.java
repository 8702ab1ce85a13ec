package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.internal.Window;
import io.github.gramian.image.internal.ChannelOrder;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All that happens between a decoded image and a network's input: resize, cut out one or more views of size×size, change
 * them at random, normalise.
 *
 * @param resize what the image is brought to first
 * @param crops which views are taken, in this order
 * @param augmentations random changes to each view, in this order
 * @param interpolation of every resizing
 * @param normalisation of the pixels
 * @param size of a view, in pixels a side
 */
public record Preprocessing(
        Resize resize,
        List<Crop> crops,
        List<Augmentation> augmentations,
        Interpolation interpolation,
        Normalisation normalisation,
        int size) {

    public Preprocessing {
        crops = List.copyOf(crops);
        augmentations = List.copyOf(augmentations);
        if (size < 1 || size > 4096) {
            throw new IllegalArgumentException("a view has 1..4096 pixels a side, not " + size);
        }
        if (crops.isEmpty()) {
            throw new IllegalArgumentException("at least one crop is needed; name 'whole' to take the image as it is");
        }
        long views = crops.stream().mapToLong(Crop::views).sum();
        if (views * 3 * size * size > ViewBudget.MOST_OF_AN_IMAGE) {
            throw new IllegalArgumentException(views + " views of " + size + " pixels a side have more than "
                    + ViewBudget.MOST_OF_AN_IMAGE + " values; take fewer or smaller views");
        }
        for (Crop crop : crops) {
            if (crop.needsRoom() && resize.leastSide() < size) {
                throw new IllegalArgumentException("the crop '" + crop.key() + "' of " + size
                        + " pixels does not fit into every image after the resize '" + resize.key()
                        + "'; resize to short:" + size + " or more");
            }
        }
    }

    /** The whole image squeezed to size×size. */
    public static Preprocessing squeeze(int size, Interpolation interpolation, Normalisation normalisation) {
        return new Preprocessing(
                new Resize.None(), List.of(new Crop.Whole()), List.of(), interpolation, normalisation, size);
    }

    /** The centre of an image with this short side. */
    public static Preprocessing centre(
            int shortSide, int size, Interpolation interpolation, Normalisation normalisation) {
        return new Preprocessing(
                new Resize.ShortSide(shortSide),
                List.of(new Crop.Centre()),
                List.of(),
                interpolation,
                normalisation,
                size);
    }

    /** How many views every image gives. */
    public int views() {
        return crops.stream().mapToInt(Crop::views).sum();
    }

    /** Whether a seed changes the views. */
    public boolean isRandom() {
        return !augmentations.isEmpty() || crops.stream().anyMatch(Crop::isRandom);
    }

    /** Values in all views of an image. */
    public long numbers() {
        return (long) views() * viewLength();
    }

    /** Values in one view. */
    public int viewLength() {
        return 3 * size * size;
    }

    /**
     * A line that is equal for equal preprocessing and different for different, across runs and versions: part of every
     * key of the feature cache. {@link PreprocessingKey#parse} reads it back.
     */
    public String identity() {
        return "resize=" + resize.key() + ";crops="
                + crops.stream().map(Crop::key).collect(Collectors.joining("+")) + ";augment="
                + augmentations.stream().map(Augmentation::key).collect(Collectors.joining("+"))
                + ";interpolation=" + interpolation.key() + ";normalise=" + normalisation.key() + ";size=" + size;
    }

    /** All views of an image, before normalisation. Each view draws from its own child of the seed. */
    public List<RgbImage> viewsOf(RgbImage image, Seed seed) {
        Resampler resampler = new Resampler(interpolation);
        RgbImage resized = resize.apply(image, resampler);
        List<RgbImage> views = new ArrayList<>();
        for (Crop crop : crops) {
            for (int v = 0; v < crop.views(); v++) {
                Seed own = seed.child(views.size());
                Window window = crop.window(v, resized.width(), resized.height(), size, own.child("crop"));
                RgbImage view = resampler.resize(resized, window, size, size);
                views.add(augmented(window.mirrored() ? view.mirrored() : view, own));
            }
        }
        return views;
    }

    /** The values of all views of an image, one after the other. */
    public float[] numbersOf(RgbImage image, ChannelOrder order, Seed seed) {
        float[] numbers = new float[Math.multiplyExact(views(), viewLength())];
        int offset = 0;
        for (RgbImage view : viewsOf(image, seed)) {
            normalisation.write(view, order, numbers, offset);
            offset += viewLength();
        }
        return numbers;
    }

    private RgbImage augmented(RgbImage view, Seed seed) {
        RgbImage changed = view;
        for (int i = 0; i < augmentations.size(); i++) {
            changed = augmentations
                    .get(i)
                    .apply(changed, seed.child("augmentation").child(i));
        }
        return changed;
    }
}
