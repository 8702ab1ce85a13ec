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
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Whether maps of contributions are right, in two ways. Deletion: positions are replaced by the mean position, and the
 * probability of the predicted class must fall more if the positions that contribute most are deleted than if those nearest to
 * the centre are, or as many at random. Composites: the left half shows one class and the right half another, and the map of
 * each class must lie in its half.
 *
 * @param images number of images for deletion
 * @param composites number of composites; each is asked for both of its classes
 * @param seed of the choice of images and of random deletions
 */
public record WhereBenchmark(int images, int composites, long seed) {

    private static final List<Double> SHARES = List.of(0.1, 0.2, 0.4);
    private static final int RANDOM_DELETIONS = 5;
    private static final int COMPOSITE_SIDE = 256;

    /**
     * Mean probability of the predicted class after deleting a share of the positions.
     *
     * @param share deleted share
     * @param most without the positions that contribute most
     * @param centre without the positions nearest to the centre
     * @param random without as many at random, mean of five draws
     */
    public record Deleted(double share, double most, double centre, double random) {}

    /**
     * The findings.
     *
     * @param images number of images for deletion
     * @param probability mean probability of the predicted class
     * @param deleted the same after deletions
     * @param composites number of composites
     * @param questions two per composite, one for each class
     * @param inOwnHalf questions whose map has more than half of its positive part in the half of the class
     */
    public record Result(
            int images, double probability, List<Deleted> deleted, int composites, int questions, int inOwnHalf) {}

    /** Runs both on labelled images, whose names are relative to a folder. */
    public Result run(BatchPredictor predictor, Path root, List<Prediction> labelled) throws ModelException {
        Explainer explainer = Explainer.of(predictor)
                .orElseThrow(() -> new ModelException("the model has no maps, because "
                        + Explainer.obstacle(predictor).orElseThrow()));
        Random random = new Random(seed);
        List<Prediction> shuffled = new ArrayList<>(labelled);
        Collections.shuffle(shuffled, random);
        int counted = Math.min(images, shuffled.size());
        double probability = 0;
        double[][] sums = new double[SHARES.size()][2 + RANDOM_DELETIONS];
        for (Prediction one : shuffled.subList(0, counted)) {
            PreparedImage image = predictor.prepare(picture(root, one));
            Explanation explanation = explainer.explain(image);
            probability += explanation.probability() / counted;
            List<List<Integer>> orders = orders(explanation.contributions(), random);
            for (int s = 0; s < sums.length; s++) {
                double share = SHARES.get(s);
                List<boolean[][]> deletions = orders.stream()
                        .map(order -> mask(
                                explanation.contributions(), order.subList(0, (int) Math.round(share * order.size()))))
                        .toList();
                List<Double> after = Deletion.probabilities(explainer, image, explanation.subject(), deletions);
                double[] sum = sums[s];
                IntStream.range(0, sum.length).forEach(i -> sum[i] += after.get(i) / counted);
            }
        }
        List<Deleted> deleted = IntStream.range(0, sums.length)
                .mapToObj(s -> new Deleted(
                        SHARES.get(s),
                        sums[s][0],
                        sums[s][1],
                        Arrays.stream(sums[s]).skip(2).average().orElseThrow()))
                .toList();
        int right = 0;
        for (int i = 0; i < composites; i++) {
            right += composite(explainer, predictor, root, shuffled, random);
        }
        return new Result(counted, probability, deleted, composites, 2 * composites, right);
    }

    /** The cells of a map by falling contribution, by distance from the centre, and several times at random. */
    private static List<List<Integer>> orders(float[][] map, Random random) {
        int columns = map[0].length;
        List<Integer> cells =
                new ArrayList<>(IntStream.range(0, map.length * columns).boxed().toList());
        List<List<Integer>> orders = new ArrayList<>();
        cells.sort(Comparator.comparingDouble(cell -> -map[cell / columns][cell % columns]));
        orders.add(List.copyOf(cells));
        cells.sort(Comparator.comparingDouble(
                cell -> Math.hypot((cell / columns + 0.5) / map.length - 0.5, (cell % columns + 0.5) / columns - 0.5)));
        orders.add(List.copyOf(cells));
        for (int i = 0; i < RANDOM_DELETIONS; i++) {
            Collections.shuffle(cells, random);
            orders.add(List.copyOf(cells));
        }
        return orders;
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
