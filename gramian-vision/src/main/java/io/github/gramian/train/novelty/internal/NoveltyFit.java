package io.github.gramian.train.novelty.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.model.Network;
import io.github.gramian.model.novelty.internal.Half;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.model.novelty.internal.Sketch;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Fits a {@link NoveltyReference} to training images.
 *
 * <p>The calibration score of an image must have the distribution that the score of a new image has. So each fold of the
 * images is scored by a projection that was fitted to the other folds, and no image counts as its own neighbour.
 */
public final class NoveltyFit {

    /** Of more images, some count, evenly spread: the reference must stay below 2 MB. */
    private static final int MAX_IMAGES = 10_000;

    private static final int MAX_PROTOTYPES = 5_000;

    /** Fewer images give no p-value that could tell anything. */
    private static final int MIN_IMAGES = 4;

    private static final int FOLDS = 5;

    private NoveltyFit() {}

    /** The reference of a network's training images; empty if there are too few images, or all are alike. */
    public static Optional<NoveltyReference> of(Network network, BatchSource images) {
        int[] chosen = spread(images.count(), MAX_IMAGES);
        if (chosen.length < MIN_IMAGES) {
            return Optional.empty();
        }
        int[] labels = images.labels();
        int[] known = IntStream.of(chosen).map(image -> labels[image]).toArray();
        try (Scope scope = Scope.open()) {
            return of(sketches(network, images, chosen), known);
        }
    }

    /** Evenly spread indices. */
    private static int[] spread(int count, int most) {
        int used = Math.min(count, most);
        return IntStream.range(0, used)
                .map(i -> (int) ((long) i * count / used))
                .toArray();
    }

    /** [images, size], in double. */
    private static Tensor sketches(Network network, BatchSource source, int[] images) {
        int size = Sketch.size(network.descriptorLength());
        float[] all = new float[images.length * size];
        int row = 0;
        try (BatchSource.Stream batches = source.open(images, NetworkPredictions.BATCH, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope step = Scope.open()) {
                    Tensor views = network.describe(batches.next().maps());
                    for (float[] descriptor : HostCopy.rows(FeatureMaps.fuseViews(views, source.views()))) {
                        System.arraycopy(Sketch.of(descriptor, size), 0, all, row++ * size, size);
                    }
                }
            }
        }
        return Placement.cpu(Precision.DOUBLE).place(torch.tensor(all).reshape(images.length, size));
    }

    /**
     * The reference of sketches.
     *
     * @param rows [images, size], in double
     * @param labels one for each row
     */
    static Optional<NoveltyReference> of(Tensor rows, int[] labels) {
        if (!rows.isfinite().all().item_bool()) {
            throw new IllegalArgumentException(
                    "a descriptor of a training image holds NaN or infinity; look for a broken"
                            + " image or broken weights, or raise the network's epsilon");
        }
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            ReferenceRows images = ReferenceRows.of(rows, labels);
            Optional<Projection> all = images.projection(-1, FOLDS);
            if (all.isEmpty()) {
                return Optional.empty();
            }
            float[] calibration = new float[labels.length];
            int folds = Math.min(FOLDS, labels.length);
            for (int fold = 0; fold < folds; fold++) {
                try (Scope step = Scope.open()) {
                    Projection others = images.projection(fold, folds).orElse(all.get());
                    float[] scores = images.scores(others, fold, folds);
                    for (int i = 0; i < scores.length; i++) {
                        calibration[fold + i * folds] = scores[i];
                    }
                }
            }
            Tensor points = images.points(all.get());
            return Optional.of(new NoveltyReference(
                    HostCopy.floats(images.mean(all.get())),
                    Half.bits(HostCopy.floats(images.components(all.get()))),
                    prototypes(points),
                    calibration));
        }
    }

    private static short[] prototypes(Tensor points) {
        float[] all = HostCopy.floats(points);
        int rank = (int) points.size(1);
        int[] chosen = spread((int) points.size(0), MAX_PROTOTYPES);
        short[] bits = new short[chosen.length * rank];
        for (int i = 0; i < chosen.length; i++) {
            short[] row = Half.bits(Arrays.copyOfRange(all, chosen[i] * rank, (chosen[i] + 1) * rank));
            System.arraycopy(row, 0, bits, i * rank, rank);
        }
        return bits;
    }
}
