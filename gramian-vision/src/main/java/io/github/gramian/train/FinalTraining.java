package io.github.gramian.train;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.Network;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.util.List;

/** The final retraining: from the start, on training and validation images together, with the selected epochs. */
final class FinalTraining {

    private final TrainingContext training;
    private final StageContext context;
    private final FeatureSet data;
    private final List<Preprocessing> views;
    private final StageSequence stages;
    private final ModelFits fits;

    /**
     * @param views of an image that is not augmented, one per scale of the network
     * @param fits that report nothing: the penalty of a start is chosen as before, on more images
     */
    FinalTraining(
            TrainingContext training,
            StageContext context,
            FeatureSet data,
            List<Preprocessing> views,
            ModelFits fits) {
        this.training = training;
        this.context = context;
        this.data = data;
        this.views = views;
        this.stages = new StageSequence(training, context, data);
        this.fits = fits;
    }

    /** @param network untrained */
    TrainedModel run(Network network, ModelSelection selection) throws IOException {
        if (!stages.isStarted(training.directory().lastOnAll(2))) {
            if (!stages.isStarted(training.directory().lastOnAll(1))) {
                stages.initialise(network, fits.fit(), StageSequence.ALL, null).ifPresent(ClassifierFit.Fitted::close);
            }
            stages.first(network, selection.stage1());
        }
        if (!selection.tuned()) {
            TrainedModel frozen = new TrainedModel(network, data, null);
            fitClassifier(frozen, selection.classifier());
            return frozen;
        }
        TrainableBackbone backbone = TrainableBackbone.load(training.recipe(), data, views, network.config());
        try {
            stages.second(network, backbone, selection.stage2());
            TrainedModel tuned = new TrainedModel(network, data, backbone);
            fitClassifier(tuned, selection.classifier());
            return tuned;
        } catch (IOException | RuntimeException failure) {
            backbone.close();
            throw failure;
        }
    }

    /** Fits the classifier in closed form, or gives the trained one the temperature that validation images chose. */
    private void fitClassifier(TrainedModel model, ClassifierFit.Applied selected) {
        if (!context.processes().leads()) {
            return;
        }
        if (selected.fitted()) {
            fits.toAll(model, selected, null);
        } else {
            fits.fit().calibrate(selected);
        }
    }
}
