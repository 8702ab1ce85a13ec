package io.github.gramian.bench.quality;

import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.explain.internal.Deletion;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Whether maps of contributions are right, in two ways. Deletion: the 20 % of positions that contribute most are replaced by
 * the mean position, and the probability of the predicted class must fall more than after deleting as many at random.
 * Composites: the left half shows one class and the right half another, and the map of each class must lie in its half.
 *
 * @param images number of images for deletion
 * @param composites number of composites; each is asked for both of its classes
 * @param seed of the choice of images and of random deletions
 */
public record WhereBenchmark(int images, int composites, long seed) {

    private static final double DELETED = 0.2;
    private static final int RANDOM_DELETIONS = 5;
    private static final int COMPOSITE_SIDE = 256;

    /**
     * The findings.
     *
     * @param images number of images for deletion
     * @param probability mean probability of the predicted class
     * @param afterTop the same after deleting the positions that contribute most
     * @param afterRandom the same after deleting as many at random, mean of five draws
     * @param afterLeast the same after deleting the positions that contribute least
     * @param composites number of composites
     * @param questions two per composite, one for each class
     * @param inOwnHalf questions whose map has more than half of its positive part in the half of the class
     */
    public record Result(
            int images,
            double probability,
            double afterTop,
            double afterRandom,
            double afterLeast,
            int composites,
            int questions,
            int inOwnHalf) {}

    /** Runs both on labelled images, whose names are relative to a folder. */
    public Result run(BatchPredictor predictor, Path root, List<Prediction> labelled) throws ModelException {
        Explainer explainer = Explainer.of(predictor)
                .orElseThrow(() -> new ModelException("the model has no gradients; use a model.gramian"));
        Random random = new Random(seed);
        List<Prediction> shuffled = new ArrayList<>(labelled);
        Collections.shuffle(shuffled, random);
        double[] sums = new double[4];
        int counted = Math.min(images, shuffled.size());
        for (Prediction one : shuffled.subList(0, counted)) {
            double[] found = deletion(explainer, predictor.prepare(picture(root, one)), random);
            IntStream.range(0, sums.length).forEach(i -> sums[i] += found[i] / counted);
        }
        int right = 0;
        for (int i = 0; i < composites; i++) {
            right += composite(explainer, predictor, root, shuffled, random);
        }
        return new Result(counted, sums[0], sums[1], sums[2], sums[3], composites, 2 * composites, right);
    }

    /** The probability of the predicted class as it is, and after deleting the most, any and the least important positions. */
    private static double[] deletion(Explainer explainer, PreparedImage image, Random random) {
        Explanation explanation = explainer.explain(image);
        float[][] map = explanation.contributions();
        int columns = map[0].length;
        List<Integer> cells =
                new ArrayList<>(IntStream.range(0, map.length * columns).boxed().toList());
        cells.sort(Comparator.comparingDouble(cell -> -map[cell / columns][cell % columns]));
        int count = (int) Math.round(DELETED * cells.size());
        List<boolean[][]> deletions = new ArrayList<>();
        deletions.add(mask(map, cells.subList(0, count)));
        deletions.add(mask(map, cells.subList(cells.size() - count, cells.size())));
        for (int i = 0; i < RANDOM_DELETIONS; i++) {
            Collections.shuffle(cells, random);
            deletions.add(mask(map, cells.subList(0, count)));
        }
        List<Double> after = Deletion.probabilities(explainer, image, explanation.subject(), deletions);
        double atRandom = after.subList(2, after.size()).stream()
                .mapToDouble(value -> value)
                .average()
                .orElseThrow();
        return new double[] {explanation.probability(), after.get(0), atRandom, after.get(1)};
    }

    private static boolean[][] mask(float[][] map, List<Integer> cells) {
        boolean[][] mask = new boolean[map.length][map[0].length];
        cells.forEach(cell -> mask[cell / map[0].length][cell % map[0].length] = true);
        return mask;
    }

    /** How many of the two maps of a random composite lie in their halves. */
    private static int composite(
            Explainer explainer, BatchPredictor predictor, Path root, List<Prediction> all, Random random)
            throws ModelException {
        Prediction left = all.get(random.nextInt(all.size()));
        Prediction right = left;
        while (right.truth() == left.truth()) {
            right = all.get(random.nextInt(all.size()));
        }
        RgbImage both = halves(picture(root, left), picture(root, right));
        List<Explanation> found = explainer.explain(predictor.prepare(both), List.of(left.truth(), right.truth()));
        return (leftShare(found.get(0)) > 0.5 ? 1 : 0) + (leftShare(found.get(1)) < 0.5 ? 1 : 0);
    }

    /** The share of the positive contributions in the left half; one half if there are none. */
    private static double leftShare(Explanation explanation) {
        double left = 0;
        double sum = 0;
        for (float[] row : explanation.contributions()) {
            for (int column = 0; column < row.length; column++) {
                double value = Math.max(0, row[column]);
                sum += value;
                // The middle column of an odd number belongs to both halves.
                left += value * Math.max(0, Math.min(1, row.length / 2.0 - column));
            }
        }
        return sum > 0 ? left / sum : 0.5;
    }

    private static RgbImage halves(RgbImage left, RgbImage right) {
        RgbImage one = square(left);
        RgbImage other = square(right);
        byte[] pixels = new byte[3 * COMPOSITE_SIDE * COMPOSITE_SIDE];
        for (int y = 0; y < COMPOSITE_SIDE; y++) {
            for (int x = 0; x < COMPOSITE_SIDE; x++) {
                for (int c = 0; c < 3; c++) {
                    RgbImage from = x < COMPOSITE_SIDE / 2 ? one : other;
                    pixels[3 * (y * COMPOSITE_SIDE + x) + c] = (byte) from.sample(x, y, c);
                }
            }
        }
        return new RgbImage(COMPOSITE_SIDE, COMPOSITE_SIDE, pixels);
    }

    private static RgbImage square(RgbImage image) {
        int side = Math.min(image.width(), image.height());
        Window centre = new Window((image.width() - side) / 2, (image.height() - side) / 2, side, side, false);
        return new Resampler(Interpolation.BICUBIC).resize(image.cut(centre), COMPOSITE_SIDE, COMPOSITE_SIDE);
    }

    private static RgbImage picture(Path root, Prediction of) throws ModelException {
        Path file = root.resolve(of.image());
        Decoded decoded = ImageDecoder.forLocalFiles().decode(file, Reduction.NONE);
        if (decoded instanceof Decoded.Rejected rejected) {
            throw new ModelException(file + ": " + rejected.sentence());
        }
        return ((Decoded.Picture) decoded).image();
    }
}
