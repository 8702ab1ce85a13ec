package io.github.gramian.certainty.internal;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Fits what a model stores about its images: {@link #calibratedBy} decides which images calibrate, and the rest fits a {@link
 * Novelty} to sketches of training images.
 */
public final class CertaintyFit {

    /** Of more images, some count, evenly spread: what a model stores must stay below 2 MB. */
    private static final int MAX_IMAGES = 10_000;

    /** Fewer images give no p-value that could tell anything. */
    private static final int MIN_IMAGES = 4;

    private static final int MIN_FOLDS = 10;
    private static final int MAX_FOLDS = 40;

    /** Images over folds: with few images, a fit is fast, and each image that is held out changes it more. */
    private static final int IMAGES_TIMES_FOLDS = 20_000;

    /** Share of the mean variance inside classes that is added in each direction; chosen without test images (docs/decisions/0023). */
    private static final double SHRINKAGE = 0.3;

    /** Variance of the means of unseen classes, relative to W, in directions in which the known classes do not differ. */
    private static final double UNSEEN_SPREAD = 0.2;

    private static final int MAX_RANK = 128;

    /** All means of classes together: 1.3 MB in half precision. */
    private static final int MAX_VALUES = 640_000;

    /** Directions with a smaller share of the largest variance are rounding. */
    private static final double NEGLIGIBLE = 1e-7;

    /** Of the square of a sketch's length, which is 1: a smaller variance is rounding. */
    private static final double TINY = 1e-12;

    /** Of a mean of a class, in standard deviations of an image. */
    private static final double MAX_MEAN = 1e4;

    private CertaintyFit() {}

    /**
     * Which images calibrate a model. Their scores must have the distribution of a new image's scores.
     *
     * <p>If everything was fitted in closed form, training images calibrate, each scored without itself. Gradient descent has
     * used the labels of all training images at once, so that a model describes and classifies each of them too well even if
     * the closed form leaves it out. Then only validation images calibrate. They also do where the closed form cannot leave out
     * every image.
     *
     * @param descended whether gradient descent has changed the network
     * @param leavesOut whether the score of every training image without this image is known
     * @param validation whether there are validation images
     * @return empty if no image can calibrate
     */
    public static Optional<PredictionSets.Source> calibratedBy(
            boolean descended, boolean leavesOut, boolean validation) {
        if (!descended && (leavesOut || !validation)) {
            return Optional.of(PredictionSets.Source.LEAVE_ONE_OUT);
        }
        return validation ? Optional.of(PredictionSets.Source.VALIDATION) : Optional.empty();
    }

    /** The images of a large number that count. */
    public static int[] sample(int images) {
        int used = Math.min(images, MAX_IMAGES);
        return IntStream.range(0, used)
                .map(i -> (int) ((long) i * images / used))
                .toArray();
    }

    /**
     * {@linkplain Novelty#sketch Sketches} of images.
     *
     * @param rows one for each image
     * @param labels index of the class of each image
     * @param groups number of the group of each image
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    public record Sketches(float[][] rows, int[] labels, int[] groups) {

        public Sketches {
            for (float[] row : rows) {
                for (float value : row) {
                    if (!Float.isFinite(value)) {
                        throw new IllegalArgumentException(
                                "a descriptor of a training image holds NaN or infinity; look for a broken"
                                        + " image or broken weights, or raise the network's epsilon");
                    }
                }
            }
        }

        private int[] every() {
            return IntStream.range(0, rows.length).toArray();
        }
    }

    /**
     * The novelty of a network that was not trained. Each fold of the images is scored by densities that were fitted to the other
     * folds.
     *
     * @return empty if there are too few images, or all are alike
     */
    public static Optional<Novelty> novelty(Sketches training) {
        if (training.rows.length < MIN_IMAGES) {
            return Optional.empty();
        }
        Optional<Novelty.Densities> all = densities(training, training.every());
        if (all.isEmpty()) {
            return Optional.empty();
        }
        int[] folds = folds(training.groups);
        float[] calibration = new float[training.rows.length];
        for (int fold = 0; fold <= Arrays.stream(folds).max().orElseThrow(); fold++) {
            int left = fold;
            int[] others = IntStream.range(0, folds.length)
                    .filter(i -> folds[i] != left)
                    .toArray();
            Novelty without = new Novelty(densities(training, others).orElse(all.get()), new float[0]);
            for (int i = 0; i < folds.length; i++) {
                calibration[i] = folds[i] == fold ? without.score(training.rows[i]) : calibration[i];
            }
        }
        return Optional.of(new Novelty(all.get(), calibration));
    }

    /**
     * The novelty of a network that gradient descent has trained.
     *
     * @param calibration scores from {@link #heldOut}
     */
    public static Optional<Novelty> novelty(Sketches training, float[] calibration) {
        return densities(training, training.every()).map(known -> new Novelty(known, calibration));
    }

    /**
     * The scores of images that a network has not learned from, by densities of the images that it has learned from.
     *
     * @return empty if there are no such images, or too few others
     */
    public static float[] heldOut(Sketches training, Sketches others) {
        Optional<Novelty.Densities> known = densities(training, training.every());
        if (known.isEmpty()) {
            return new float[0];
        }
        Novelty novelty = new Novelty(known.get(), new float[0]);
        float[] scores = new float[others.rows.length];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = novelty.score(others.rows[i]);
        }
        return scores;
    }

    /**
     * The fold of each image. All images of a group are in one fold, since a new image comes from a new group. Groups are dealt
     * to folds in turn: images are sorted by class, so each fold has images of all classes.
     */
    private static int[] folds(int[] groups) {
        Map<Integer, Integer> places = new HashMap<>();
        for (int group : groups) {
            places.putIfAbsent(group, places.size());
        }
        int wanted = Math.max(MIN_FOLDS, Math.min(MAX_FOLDS, IMAGES_TIMES_FOLDS / groups.length));
        int count = Math.min(wanted, places.size());
        return IntStream.of(groups)
                .map(group -> places.getOrDefault(group, 0) % count)
                .toArray();
    }

    /** The densities of the classes of some images; empty if there are too few, or all are alike. */
    private static Optional<Novelty.Densities> densities(Sketches images, int[] used) {
        if (used.length < 2) {
            return Optional.empty();
        }
        int size = images.rows[0].length;
        float[] flat = new float[used.length * size];
        for (int i = 0; i < used.length; i++) {
            System.arraycopy(images.rows[used[i]], 0, flat, i * size, size);
        }
        int[] labels = IntStream.of(used).map(i -> images.labels[i]).toArray();
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor rows =
                    Placement.cpu(Precision.DOUBLE).place(torch.tensor(flat).reshape(used.length, size));
            return densities(rows, labels);
        }
    }

    /** @param directions [size, rank], orthonormal */
    private record Components(Tensor mean, Tensor directions, Tensor points) {}

    /**
     * The densities of the classes of sketches. With the principal components p of the centred sketches and their covariance
     * inside classes C, W = C + {@value #SHRINKAGE}·(tr C/rank)·I is the variance of an image around the mean of its class. The
     * coordinates are those in which W = I and the covariance of the means of classes is diagonal.
     *
     * @param rows [images, size], in double
     * @param labels one for each row
     * @return empty if all rows are equal
     */
    private static Optional<Novelty.Densities> densities(Tensor rows, int[] labels) {
        Tensor indicators = indicators(labels).to(rows.scalar_type());
        Tensor counts = indicators.sum(0);
        int most = (int) Math.max(1, Math.min(MAX_RANK, MAX_VALUES / counts.size(0)));
        return components(rows, most).map(found -> densities(found, indicators, counts));
    }

    /** One column per class that has images: [images, classes]. */
    private static Tensor indicators(int[] labels) {
        int[] present = IntStream.of(labels).distinct().sorted().toArray();
        long[] places = IntStream.of(labels)
                .mapToLong(label -> Arrays.binarySearch(present, label))
                .toArray();
        return torch.one_hot(torch.tensor(places), present.length);
    }

    private static Optional<Components> components(Tensor rows, int most) {
        Tensor mean = rows.mean(0);
        Tensor centred = rows.sub(mean);
        boolean few = rows.size(0) < rows.size(1);
        Tensor products = few ? centred.matmul(centred.t()) : centred.t().matmul(centred);
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(products));
        long size = products.size(0);
        double largest = eigen.values().narrow(0, size - 1, 1).item_double();
        if (!(largest > TINY * rows.size(0))) {
            return Optional.empty();
        }
        long found = eigen.values().gt(scalar(NEGLIGIBLE * largest)).sum().item_long();
        long rank = Math.min(most, found);
        Tensor vectors = eigen.vectors().narrow(1, size - rank, rank);
        Tensor lengths = eigen.values().narrow(0, size - rank, rank).sqrt();
        Tensor directions = few ? centred.t().matmul(vectors).div(lengths) : vectors;
        return Optional.of(new Components(mean, directions, centred.matmul(directions)));
    }

    private static Novelty.Densities densities(Components found, Tensor indicators, Tensor counts) {
        long rank = found.points().size(1);
        Tensor sizes = counts.unsqueeze(1);
        Tensor means = indicators.t().matmul(found.points()).div(sizes);
        Tensor around = found.points().sub(indicators.matmul(means));
        double images = (double) indicators.size(0);
        Tensor inside = around.t().matmul(around).div(scalar(images));
        double level = inside.trace().item_double() / rank;
        // Classes of equal images have no variance, except for rounding, in units of which means would not fit a half.
        double longest = means.norm(optional(2.0), new long[] {1}).max().item_double();
        if (level < Math.pow(longest / MAX_MEAN, 2)) {
            level = found.points().square().mean().item_double();
        }
        double variance = SHRINKAGE * level;
        Symmetric.Eigen scatter = Symmetric.eigen(Symmetric.part(inside));
        Tensor scales =
                scatter.values().clamp_min(scalar(0.0)).div(scalar(variance)).add(scalar(1.0));
        Tensor whitening = Symmetric.compose(scales.rsqrt(), scatter.vectors());
        Tensor white = means.div(scalar(Math.sqrt(variance))).matmul(whitening);
        Tensor weighted = white.mul(sizes.div(scalar(images)).sqrt());
        Symmetric.Eigen between = Symmetric.eigen(Symmetric.part(weighted.t().matmul(weighted)));
        // The mean of n images has itself a variance of 1/n, which is not a difference between classes.
        double noise = counts.reciprocal().mean().item_double();
        Tensor spread =
                between.values().sub(scalar(noise)).clamp_min(scalar(0.0)).add(scalar(UNSEEN_SPREAD));
        Tensor rotation = between.vectors();
        return new Novelty.Densities(
                HostCopy.floats(found.mean()),
                (float) Math.sqrt(variance),
                halves(found.directions().t()),
                halves(whitening.matmul(rotation).t()),
                halves(white.matmul(rotation)),
                HostCopy.floats(counts),
                spread(HostCopy.floats(spread)));
    }

    private static float[] spread(float[] coordinates) {
        float[] all = Arrays.copyOf(coordinates, coordinates.length + 1);
        all[coordinates.length] = (float) UNSEEN_SPREAD;
        return all;
    }

    /** As a file stores them. */
    private static float[] halves(Tensor matrix) {
        return Half.values(Half.bits(HostCopy.floats(matrix.contiguous())));
    }
}
