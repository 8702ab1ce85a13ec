package io.github.gramian.dataset;

import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a protocol looks at an image. Scores seen through different views are not comparable, so this travels in every
 * passport; interpolation and normalisation belong to the backbone.
 *
 * @param resolution side of the square that the network sees, in pixels
 * @param resize what an image is brought to before crops are taken
 * @param trainingCrops what is cut from a training image
 * @param augmentations random changes to training crops
 * @param testCrops what is cut from a test image
 */
public record Views(
        int resolution,
        Resize resize,
        List<Crop> trainingCrops,
        List<Augmentation> augmentations,
        List<Crop> testCrops) {

    public Views {
        trainingCrops = List.copyOf(trainingCrops);
        augmentations = List.copyOf(augmentations);
        testCrops = List.copyOf(testCrops);
        // A preprocessing checks that the crops fit; better now than after an hour of training.
        preprocessing(resolution, resize, trainingCrops, augmentations, Interpolation.BILINEAR, Normalisation.CAFFE);
        preprocessing(resolution, resize, testCrops, List.of(), Interpolation.BILINEAR, Normalisation.CAFFE);
    }

    /**
     * The paper's textures: ten random crops, the centre and the corners train; the centre and the corners test; 224 px.
     * What the crops are cut from is not stated; short side 256 is our choice, after the work that the paper follows.
     */
    public static Views paperTextures() {
        return new Views(
                224,
                new Resize.ShortSide(256),
                List.of(new Crop.RandomCrop(10), new Crop.FiveCrop()),
                List.of(),
                List.of(new Crop.FiveCrop()));
    }

    /** The paper's birds and aircraft: the whole image squeezed to 224 px. */
    public static Views paperFineGrained() {
        return new Views(224, new Resize.None(), List.of(new Crop.Whole()), List.of(), List.of(new Crop.Whole()));
    }

    /** What most texture tables use: a random crop, perhaps mirrored, trains; the centre tests; 224 of 256 px. */
    public static Views usualTextures() {
        return randomAndCentre(224, 256);
    }

    /** What most fine-grained tables use: the same at 448 of 512 px. */
    public static Views usualFineGrained() {
        return randomAndCentre(448, 512);
    }

    private static Views randomAndCentre(int resolution, int shortSide) {
        return new Views(
                resolution,
                new Resize.ShortSide(shortSide),
                List.of(new Crop.RandomCrop(1)),
                List.of(new Augmentation.Mirror(0.5)),
                List.of(new Crop.Centre()));
    }

    /** What happens to a training image on its way to a network with this normalisation. */
    public Preprocessing training(Interpolation interpolation, Normalisation normalisation) {
        return preprocessing(resolution, resize, trainingCrops, augmentations, interpolation, normalisation);
    }

    /** What happens to a validation or test image. */
    public Preprocessing test(Interpolation interpolation, Normalisation normalisation) {
        return preprocessing(resolution, resize, testCrops, List.of(), interpolation, normalisation);
    }

    /** In passports: {@code resize short:256, train random:10+five, test five}. */
    public String describe() {
        String training = Stream.concat(
                        trainingCrops.stream().map(Crop::key),
                        augmentations.stream().map(Augmentation::key))
                .collect(Collectors.joining("+"));
        String test = testCrops.stream().map(Crop::key).collect(Collectors.joining("+"));
        return "resize " + resize.key() + ", train " + training + ", test " + test;
    }

    private static Preprocessing preprocessing(
            int resolution,
            Resize resize,
            List<Crop> crops,
            List<Augmentation> augmentations,
            Interpolation interpolation,
            Normalisation normalisation) {
        return new Preprocessing(resize, crops, augmentations, interpolation, normalisation, resolution);
    }
}
