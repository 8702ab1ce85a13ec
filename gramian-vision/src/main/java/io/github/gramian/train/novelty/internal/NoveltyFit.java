package io.github.gramian.train.novelty.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.model.Network;
import io.github.gramian.model.novelty.internal.LikelihoodRatio;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.model.novelty.internal.NoveltyScore;
import io.github.gramian.model.novelty.internal.Sketch;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Fits a {@link NoveltyReference} to training images.
 *
 * <p>The calibration score of an image must have the distribution that the score of a new image has. So each fold of the
 * images is scored by densities that were fitted to the other folds.
 */
public final class NoveltyFit {

    /** Of more images, some count, evenly spread: the reference must stay below 2 MB. */
    private static final int MAX_IMAGES = 10_000;

    /** Fewer images give no p-value that could tell anything. */
    private static final int MIN_IMAGES = 4;

    private NoveltyFit() {}

    /** Sketches of images. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    private record Sketches(float[][] rows, int[] labels, int[] groups) {}

    /** The reference of a network's training images; empty if there are too few images, or all are alike. */
    public static Optional<NoveltyReference> of(Network network, BatchSource images) {
        Sketches training = sketches(network, images);
        return of(training.rows, training.labels, training.groups);
    }

    /**
     * The same with calibration scores from {@link #heldOut}. A network that gradient descent has trained describes its own
     * training images as more typical than new images, so these cannot calibrate it.
     */
    public static Optional<NoveltyReference> of(Network network, BatchSource images, float[] calibration) {
        Sketches training = sketches(network, images);
        requireFinite(training.rows);
        return fit(training.rows, training.labels, every(training.rows.length))
                .map(score -> new NoveltyReference(score, calibration));
    }

    /**
     * The scores of images that a network has not learned from, by densities of the images that it has learned from.
     *
     * @return empty if there are no such images, or too few others
     */
    public static float[] heldOut(Network network, BatchSource learned, BatchSource others) {
        Sketches training = sketches(network, learned);
        float[][] rows = sketches(network, others).rows;
        requireFinite(training.rows);
        requireFinite(rows);
        return fit(training.rows, training.labels, every(training.rows.length))
                .map(score -> scores(score, rows))
                .orElse(new float[0]);
    }

    private static int[] every(int count) {
        return IntStream.range(0, count).toArray();
    }

    /** Evenly spread indices. */
    private static int[] spread(int count, int most) {
        int used = Math.min(count, most);
        return IntStream.range(0, used)
                .map(i -> (int) ((long) i * count / used))
                .toArray();
    }

    private static Sketches sketches(Network network, BatchSource source) {
        int[] images = spread(source.count(), MAX_IMAGES);
        int size = Sketch.size(network.descriptorLength());
        float[][] all = new float[images.length][];
        int row = 0;
        try (BatchSource.Stream batches = source.open(images, NetworkPredictions.BATCH, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope step = Scope.open()) {
                    Tensor views = network.describe(batches.next().maps());
                    for (float[] descriptor : HostCopy.rows(FeatureMaps.fuseViews(views, source.views()))) {
                        all[row++] = Sketch.of(descriptor, size);
                    }
                }
            }
        }
        return new Sketches(all, some(source.labels(), images), some(source.groups(), images));
    }

    private static int[] some(int[] values, int[] places) {
        return IntStream.of(places).map(place -> values[place]).toArray();
    }

    /**
     * The reference of sketches.
     *
     * @param labels one for each row
     * @param groups one for each row
     */
    static Optional<NoveltyReference> of(float[][] rows, int[] labels, int[] groups) {
        requireFinite(rows);
        if (rows.length < MIN_IMAGES) {
            return Optional.empty();
        }
        Optional<NoveltyScore> all = fit(rows, labels, every(rows.length));
        if (all.isEmpty()) {
            return Optional.empty();
        }
        NoveltyFolds folds = NoveltyFolds.of(groups);
        float[] calibration = new float[rows.length];
        for (int fold = 0; fold < folds.count(); fold++) {
            NoveltyScore others = fit(rows, labels, folds.outside(fold)).orElse(all.get());
            for (int row : folds.inside(fold)) {
                calibration[row] = others.score(rows[row]);
            }
        }
        return Optional.of(new NoveltyReference(all.get(), calibration));
    }

    private static float[] scores(NoveltyScore score, float[][] rows) {
        float[] scores = new float[rows.length];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score.score(rows[i]);
        }
        return scores;
    }

    private static Optional<NoveltyScore> fit(float[][] rows, int[] labels, int[] used) {
        if (used.length < 2) {
            return Optional.empty();
        }
        int size = rows[0].length;
        float[] flat = new float[used.length * size];
        for (int i = 0; i < used.length; i++) {
            System.arraycopy(rows[used[i]], 0, flat, i * size, size);
        }
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor chosen =
                    Placement.cpu(Precision.DOUBLE).place(torch.tensor(flat).reshape(used.length, size));
            return DensityFit.of(chosen, some(labels, used)).map(LikelihoodRatio::new);
        }
    }

    private static void requireFinite(float[][] rows) {
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
}
