package io.github.gramian.train;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.CertaintyFit;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.model.Network;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/** Fits the {@link Novelty} of a trained model to its images, as the model sees them. */
final class TrainedCertainty {

    private final TrainedModel model;
    private final CancellationToken cancellation;

    TrainedCertainty(TrainedModel model, CancellationToken cancellation) {
        this.model = model;
        this.cancellation = cancellation;
    }

    /** Novelty scores of the validation images by the selected model; empty unless they calibrate it. */
    float[] heldOut(ModelSelection selected) {
        return calibratedBy(selected)
                .filter(source -> source == PredictionSets.Source.VALIDATION)
                .map(source -> CertaintyFit.heldOut(sketches(FeatureSet.TRAINING), sketches(Split.VALIDATION)))
                .orElseGet(() -> new float[0]);
    }

    private Optional<PredictionSets.Source> calibratedBy(ModelSelection selected) {
        boolean validation = !model.data().samples(Split.VALIDATION).isEmpty();
        return CertaintyFit.calibratedBy(selected.learned(), true, validation);
    }

    /**
     * The novelty; empty if no image can calibrate it.
     *
     * @param selected with the scores from {@link #heldOut}
     * @param retrained whether the model was trained again, on training and validation images
     */
    Optional<Novelty> novelty(ModelSelection selected, boolean retrained) {
        if (calibratedBy(selected).equals(Optional.of(PredictionSets.Source.LEAVE_ONE_OUT))) {
            return CertaintyFit.novelty(sketches(FeatureSet.ALL));
        }
        return selected.novelty().length == 0
                ? Optional.empty()
                : CertaintyFit.novelty(sketches(retrained ? FeatureSet.ALL : FeatureSet.TRAINING), selected.novelty());
    }

    private CertaintyFit.Sketches sketches(Split... splits) {
        return sketches(model.network(), cancellation.checking(model.data().grouped(model.images(splits), splits)));
    }

    static CertaintyFit.Sketches sketches(Network network, BatchSource source) {
        int[] images = CertaintyFit.sample(source.count());
        int size = Novelty.sketchSize(network.descriptorLength());
        float[][] all = new float[images.length][];
        int row = 0;
        try (BatchSource.Stream batches = source.open(images, NetworkPredictions.BATCH, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope step = Scope.open()) {
                    Tensor views = network.describe(batches.next().maps());
                    for (float[] descriptor : HostCopy.rows(FeatureMaps.fuseViews(views, source.views()))) {
                        all[row++] = Novelty.sketch(descriptor, size);
                    }
                }
            }
        }
        return new CertaintyFit.Sketches(all, some(source.labels(), images), some(source.groups(), images));
    }

    private static int[] some(int[] values, int[] places) {
        return IntStream.of(places).map(place -> values[place]).toArray();
    }
}
