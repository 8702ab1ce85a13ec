package io.github.gramian.recipe;

import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import io.github.gramian.image.internal.PreprocessingKey;
import java.util.Arrays;
import java.util.List;

/**
 * The views of an image that a network gets: how it is resized and cropped, and the random changes of training.
 *
 * @param decoding {@code reduced} to decode large JPEGs at a half, a quarter or an eighth of their size, if that is at
 *     least twice the required size; {@code full} to decode every pixel
 * @param margin ratio of the short side of the resized image to the side of a view; 0 to leave images unresized
 * @param training crops of training images in stage 2, joined by +; stage 1 trains on the views of {@code test}
 * @param augment random changes to training crops, joined by +; may be empty
 * @param test crops of all other images, joined by +
 * @param copies changed copies of training and validation images, joined by +. A classifier in closed form is fitted to the copies
 *     and the images themselves. Each copy is an augmentation, such as {@code corrupt:fog,contrast:1-5}. Empty for none
 */
public record ViewsConfig(
        Preprocessing.Decoding decoding, double margin, String training, String augment, String test, String copies) {

    public ViewsConfig {
        if (!(margin == 0 || (margin >= 1 && margin <= 4))) {
            throw new IllegalArgumentException("views.margin must be 0 or lie in 1..4 but is " + margin);
        }
        crops(training);
        crops(test);
        augmentations(augment);
        augmentations(copies);
    }

    /** Of a training image in stage 2. */
    public Preprocessing training(int size, Normalisation normalisation) {
        return new Preprocessing(
                decoding,
                resize(size),
                crops(training),
                augmentations(augment),
                Interpolation.BILINEAR,
                normalisation,
                size);
    }

    /** Of any other image. */
    public Preprocessing test(int size, Normalisation normalisation) {
        return new Preprocessing(
                decoding, resize(size), crops(test), List.of(), Interpolation.BILINEAR, normalisation, size);
    }

    /** Of each copy of an image that a classifier in closed form is fitted to. */
    public List<Preprocessing> copies(int size, Normalisation normalisation) {
        return augmentations(copies).stream()
                .map(change -> test(size, normalisation).withAugmentations(List.of(change)))
                .toList();
    }

    /** Number of copies of each training image. */
    public int copyCount() {
        return augmentations(copies).size();
    }

    /** Names of the corruptions that copies may have. */
    public List<String> copiedCorruptions() {
        return augmentations(copies).stream()
                .map(change -> change.key().split(":", -1))
                .filter(key -> key[0].equals("corrupt"))
                .flatMap(key -> Arrays.stream(key[1].split(",", -1)))
                .distinct()
                .toList();
    }

    /** For evaluation protocols. */
    public String describe() {
        return "decoding " + decoding.key() + ", margin " + margin + ", train " + training
                + (augment.isEmpty() ? "" : "+" + augment) + ", test " + test;
    }

    private Resize resize(int size) {
        return margin == 0 ? new Resize.None() : new Resize.ShortSide((int) Math.round(size * margin));
    }

    private static List<Crop> crops(String keys) {
        return Arrays.stream(keys.split("\\+", -1)).map(PreprocessingKey::crop).toList();
    }

    private static List<Augmentation> augmentations(String keys) {
        return keys.isEmpty()
                ? List.of()
                : Arrays.stream(keys.split("\\+", -1))
                        .map(PreprocessingKey::augmentation)
                        .toList();
    }
}
