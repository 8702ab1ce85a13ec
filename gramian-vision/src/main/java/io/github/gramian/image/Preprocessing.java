package io.github.gramian.image;

import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * All that happens between an image file and a network's input: decode, resize, cut out one or more views of size×size,
 * change them at random, normalise.
 *
 * @param decoding whether large JPEGs are reduced while they are decoded
 * @param resize what the image is brought to first
 * @param crops which views are taken, in this order
 * @param augmentations random changes to each view, in this order
 * @param interpolation of every resizing
 * @param normalisation of the pixels
 * @param size of a view, in pixels a side
 */
public record Preprocessing(
        Decoding decoding,
        Resize resize,
        List<Crop> crops,
        List<Augmentation> augmentations,
        Interpolation interpolation,
        Normalisation normalisation,
        int size) {

    /** The memory layout of [batch, 3, height, width] values; the shape is the same in both. */
    public enum ChannelOrder {
        /** Plane after plane: LibTorch's contiguous format. */
        FIRST,
        /** Pixel after pixel: LibTorch's channels_last, in which its convolutions on the CPU are fastest. */
        LAST
    }

    /** How many pixels of a file are decoded. */
    public enum Decoding {
        /** All of them. */
        FULL,
        /**
         * A JPEG is decoded at a half, a quarter or an eighth of each side: the smallest that has at least twice the resized size.
         * Several times faster for photographs. Smaller images and other formats are decoded in full.
         */
        REDUCED;

        /** The word in recipes and cache keys. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Preprocessing {
        crops = List.copyOf(crops);
        augmentations = List.copyOf(augmentations);
        if (size < 1 || size > 4096) {
            throw new IllegalArgumentException("a view has 1..4096 pixels a side, not " + size);
        }
        if (crops.isEmpty()) {
            throw new IllegalArgumentException("at least one crop is needed; use 'whole' for the uncropped image");
        }
        long views = crops.stream().mapToLong(Crop::views).sum();
        if (views * 3 * size * size > ViewBudget.MAX_OF_AN_IMAGE) {
            throw new IllegalArgumentException(views + " views of " + size + " pixels a side have more than "
                    + ViewBudget.MAX_OF_AN_IMAGE + " values; use fewer or smaller views");
        }
        for (Crop crop : crops) {
            if (crop.needsLargeImage() && resize.minSide() < size) {
                throw new IllegalArgumentException("the crop '" + crop.key() + "' of " + size
                        + " pixels does not fit into every image after the resize '" + resize.key()
                        + "'; resize to short:" + size + " or more");
            }
        }
    }

    /** The whole image squeezed to size×size. */
    public static Preprocessing squeeze(int size, Interpolation interpolation, Normalisation normalisation) {
        return new Preprocessing(
                Decoding.REDUCED,
                new Resize.None(),
                List.of(new Crop.Whole()),
                List.of(),
                interpolation,
                normalisation,
                size);
    }

    /** The centre of an image with this short side. */
    public static Preprocessing centre(
            int shortSide, int size, Interpolation interpolation, Normalisation normalisation) {
        return new Preprocessing(
                Decoding.REDUCED,
                new Resize.ShortSide(shortSide),
                List.of(new Crop.Centre()),
                List.of(),
                interpolation,
                normalisation,
                size);
    }

    /** The same with other crops, and without random changes. */
    public Preprocessing withCrops(List<Crop> others) {
        return new Preprocessing(decoding, resize, others, List.of(), interpolation, normalisation, size);
    }

    /** The same with other changes to each view. */
    public Preprocessing withAugmentations(List<Augmentation> others) {
        return new Preprocessing(decoding, resize, crops, others, interpolation, normalisation, size);
    }

    /** How many views every image gives. */
    public int views() {
        return crops.stream().mapToInt(Crop::views).sum();
    }

    /** Whether a seed changes the views. */
    public boolean isRandom() {
        return augmentations.stream().anyMatch(Augmentation::isRandom)
                || crops.stream().anyMatch(Crop::isRandom);
    }

    /** Values in all views of an image. */
    public long valueCount() {
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
        return (decoding == Decoding.FULL ? "" : "decode=" + decoding.key() + ";") + "resize=" + resize.key()
                + ";crops="
                + crops.stream().map(Crop::key).collect(Collectors.joining("+")) + ";augment="
                + augmentations.stream().map(Augmentation::key).collect(Collectors.joining("+"))
                + ";interpolation=" + interpolation.key() + ";normalise=" + normalisation.key() + ";size=" + size;
    }

    /**
     * By how much an image may be reduced while it is decoded. Where nothing is resized before windows are cut out, only a
     * view of the whole image determines the size that is needed.
     */
    public int reduction(int width, int height) {
        boolean whole = crops.stream().allMatch(crop -> crop instanceof Crop.Whole);
        if (decoding == Decoding.FULL || (resize instanceof Resize.None && !whole)) {
            return 1;
        }
        Resize wanted = resize instanceof Resize.None ? new Resize.Exact(size, size) : resize;
        return Reduction.leaving(width, height, wanted.widthOf(width, height), wanted.heightOf(width, height));
    }

    /** All views of an image, before normalisation. Each view draws from its own child of the seed. */
    public List<RgbImage> viewsOf(RgbImage image, Seed seed) {
        Resampler resampler = new Resampler(interpolation);
        int width = resize.widthOf(image.width(), image.height());
        int height = resize.heightOf(image.width(), image.height());
        List<Window> windows = windows(image.width(), image.height(), seed);
        // Only what a window shows is resized; the result is the same.
        Window shown = Window.around(windows);
        RgbImage resized = resampler.resize(image, width, height, shown);
        List<RgbImage> views = new ArrayList<>();
        for (int v = 0; v < windows.size(); v++) {
            Window window = windows.get(v);
            RgbImage view = resampler.resize(resized, window.within(shown), size, size);
            views.add(augmented(window.mirrored() ? view.mirrored() : view, seed.child(v)));
        }
        return views;
    }

    /**
     * The windows of all views, in pixels of the resized image.
     *
     * @param width of the image before it is resized
     * @param height of the image before it is resized
     */
    public List<Window> windows(int width, int height, Seed seed) {
        int resizedWidth = resize.widthOf(width, height);
        int resizedHeight = resize.heightOf(width, height);
        List<Window> windows = new ArrayList<>();
        for (Crop crop : crops) {
            for (int v = 0; v < crop.views(); v++) {
                Seed own = seed.child(windows.size());
                windows.add(crop.window(v, resizedWidth, resizedHeight, size, own.child("crop")));
            }
        }
        return windows;
    }

    /** The values of all views of an image, one after the other. */
    public float[] valuesOf(RgbImage image, ChannelOrder order, Seed seed) {
        float[] values = new float[Math.multiplyExact(views(), viewLength())];
        int offset = 0;
        for (RgbImage view : viewsOf(image, seed)) {
            normalisation.write(view, order, values, offset);
            offset += viewLength();
        }
        return values;
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
