package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.NetworkPredictions;
import java.util.List;
import java.util.Objects;

/**
 * Checks of a recipe against its backbone and images, before features are computed, which may
 * take hours. Ranges of single settings are checked by their records, sizes of layers by building the network.
 */
final class RecipeCheck {

    private final Recipe recipe;
    private final Backbone backbone;
    private final Network network;

    RecipeCheck(Recipe recipe, Backbone backbone, Network network) {
        this.recipe = recipe;
        this.backbone = backbone;
        this.network = network;
    }

    /**
     * Refuses settings that would end the training later.
     *
     * @param test views of validation and test images, for each of the network's scales
     * @param images number of training images
     */
    void require(List<Preprocessing> test, int images) {
        ViewBudget.require(test, 1);
        test.forEach(one -> backbone.requireSize(one.size()));
        requireVectors(images * (double) test.get(0).views());
        MapTraining.require(recipe, backbone);
        if (recipe.stage2().runs()) {
            requireStage2(test);
        }
    }

    private void requireStage2(List<Preprocessing> test) {
        List<Preprocessing> training = NetworkFeatures.of(network.config()).scales().stream()
                .map(scale -> recipe.views().training(scale.size(), backbone.normalisation()))
                .toList();
        ViewBudget.require(training, recipe.stage2().batches().batch());
        ViewBudget.require(test, Math.max(recipe.stage2().batches().batch(), NetworkPredictions.BATCH));
        backbone.requireLearning(
                Objects.requireNonNull(recipe.stage2().trainFrom()),
                network.config().branches().stream().map(BranchConfig::tap).toList());
    }

    /** A codebook needs at least as many vectors as it has codewords. */
    private void requireVectors(double views) {
        for (int b = 0; b < network.branches().size(); b++) {
            BranchConfig branch = network.config().branches().get(b);
            Tap tap = backbone.tap(branch.tap());
            double side = tap.stride() == 0 ? 1 : Math.ceil((double) branch.size() / tap.stride());
            double vectors = views * side * side;
            Branch.of(network).get(b).fitted().ifPresent(layer -> {
                if (layer.minVectors() > vectors) {
                    throw new IllegalArgumentException("a codebook of " + layer.minVectors()
                            + " needs at least as many vectors, but " + branch.key() + " of the training images has "
                            + (long) vectors + "; use more images or a smaller codebook");
                }
            });
        }
    }
}
