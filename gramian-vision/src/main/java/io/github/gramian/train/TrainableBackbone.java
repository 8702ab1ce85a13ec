package io.github.gramian.train;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.train.stage.internal.BackboneParameters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;

/** A backbone that stage 2 trains. It computes features from images. */
final class TrainableBackbone implements AutoCloseable {

    private final Recipe recipe;
    private final FeatureSet data;
    private final ConvolutionalBackbone backbone;
    private final BackboneParameters parameters;

    private TrainableBackbone(Recipe recipe, FeatureSet data, ConvolutionalBackbone backbone, NetworkConfig network) {
        this.recipe = recipe;
        this.data = data;
        this.backbone = backbone;
        this.parameters = new BackboneParameters(
                backbone, network.branches().stream().map(BranchConfig::tap).toList());
    }

    /** Loads the weights that stage 2 starts from. */
    static TrainableBackbone load(Recipe recipe, FeatureSet data, NetworkConfig network) throws IOException {
        ConvolutionalBackbone loaded = WeightsFile.load(
                recipe.backbone().file(),
                recipe.backbone()
                        .frozen()
                        .trainableFrom(Objects.requireNonNull(recipe.stage2().trainFrom())));
        return new TrainableBackbone(recipe, data, loaded, network);
    }

    /** The parameters that stage 2 moves. */
    BackboneParameters parameters() {
        return parameters;
    }

    /** The weights that stage 2 has changed, by name. */
    Map<String, Tensor> weights() {
        return backbone.parameters();
    }

    /** Images as a model sees them. */
    BatchSource images(Split... splits) {
        return data.live(backbone, data.frozen().views(), splits);
    }

    /** Images as stage 2 learns from them, in random views. */
    BatchSource augmented(Split... splits) {
        List<Preprocessing> random = NetworkFeatures.of(recipe.network()).scales().stream()
                .map(scale -> recipe.views().training(scale.size(), backbone.normalisation()))
                .toList();
        return data.live(backbone, random, splits);
    }

    @Override
    public void close() {
        parameters.close();
        backbone.close();
    }
}
