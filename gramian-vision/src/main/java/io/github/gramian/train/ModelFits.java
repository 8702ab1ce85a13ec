package io.github.gramian.train;

import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import org.jspecify.annotations.Nullable;

/** Fits classifiers of models in closed form, on the images as each model sees them. */
final class ModelFits {

    private final ClassifierFit fit;
    private final CancellationToken cancellation;
    private final Refit refit;

    ModelFits(Recipe recipe, ClassifierFit fit, CancellationToken cancellation) {
        this.fit = fit;
        this.cancellation = cancellation;
        this.refit = recipe.refit();
    }

    /** For initialisation, which has no model yet. */
    ClassifierFit fit() {
        return fit;
    }

    /** The classifier after a stage: the trained one, or one in closed form. */
    ClassifierFit.Fitted after(int stage, TrainedModel model) {
        BatchSource validation = model.fitting(Split.VALIDATION);
        return fit.apply(
                stage,
                cancellation.checking(model.fitting(StageSequence.TRAINING)),
                validation.count() == 0 ? null : cancellation.checking(validation),
                refit,
                true);
    }

    /**
     * Fits a classifier in closed form again with the validation images, which have nothing left to choose. A trained
     * classifier does not change.
     *
     * @param fitted descriptors of the same model, if they are still stored
     * @return what was chosen, with scores for the coverage of sets by the new classifier
     */
    ClassifierFit.Applied toAll(
            TrainedModel model, ClassifierFit.Applied chosen, ClassifierFit.@Nullable Fitted fitted) {
        BatchSource validation = model.fitting(Split.VALIDATION);
        if (!chosen.fitted() || validation.count() == 0) {
            return chosen;
        }
        return fit.applyToAll(
                cancellation.checking(model.fitting(StageSequence.TRAINING)),
                cancellation.checking(validation),
                chosen,
                fitted);
    }

    /** Mean cross-entropy of a model on validation images. */
    double validationLoss(TrainedModel model) {
        BatchSource validation = cancellation.checking(model.images(Split.VALIDATION));
        return NetworkPredictions.of(model.network(), validation, NetworkPredictions.BATCH)
                .loss();
    }
}
