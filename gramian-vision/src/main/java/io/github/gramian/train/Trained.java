package io.github.gramian.train;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.stage.internal.BackboneParameters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A network while it is trained, and the backbone in front: frozen, where features come from the cache, or learning, where they
 * are computed from images. The network belongs to the caller, a backbone that learns is closed with it.
 */
final class Trained implements AutoCloseable {

    private final Recipe recipe;
    private final TrainingData data;
    private final List<Preprocessing> views;
    private final Network network;
    private @Nullable ConvolutionalBackbone learning;
    private @Nullable BackboneParameters parameters;
    private final List<Tensor> aside = new ArrayList<>();

    /** @param views of an image that is not augmented, for each scale of the network */
    Trained(Recipe recipe, TrainingData data, List<Preprocessing> views, Network network) {
        this.recipe = recipe;
        this.data = data;
        this.views = List.copyOf(views);
        this.network = network;
    }

    Network network() {
        return network;
    }

    /** Loads the backbone that stage 2 trains; images go through it from now on. */
    BackboneParameters unfreeze() throws IOException {
        ConvolutionalBackbone loaded = WeightsFile.load(
                recipe.backbone().file(),
                recipe.backbone()
                        .frozen()
                        .trainableFrom(Objects.requireNonNull(recipe.stage2().trainFrom())));
        learning = loaded;
        parameters = new BackboneParameters(
                loaded,
                network.config().branches().stream().map(BranchConfig::tap).toList());
        return parameters;
    }

    /** Frees the backbone that was trained: images have the features of the frozen one again. */
    void freeze() {
        if (parameters != null) {
            parameters.close();
            parameters = null;
        }
        if (learning != null) {
            learning.close();
            learning = null;
        }
    }

    /** The weights of the backbone that have changed, by name. */
    Map<String, Tensor> learned() {
        return learning == null ? Map.of() : learning.parameters();
    }

    /** Images as models see them. */
    BatchSource images(Split... splits) {
        return learning == null ? frozenImages(splits) : data.live(learning, views, splits);
    }

    /** Images as a model with the frozen backbone sees them. */
    BatchSource frozenImages(Split... splits) {
        return data.cached(splits);
    }

    /** Images as stage 2 learns from them, in random views. */
    BatchSource augmented(Split... splits) {
        ConvolutionalBackbone backbone = Objects.requireNonNull(learning, "the backbone is frozen");
        List<Preprocessing> random = NetworkFeatures.of(recipe.network()).scales().stream()
                .map(scale -> recipe.views().training(scale.size(), backbone.normalisation()))
                .toList();
        return data.live(backbone, random, splits);
    }

    /** Puts copies of the network's values aside. */
    void putAside() {
        forget();
        try (Scope scope = Scope.open()) {
            network.parameters().forEach(one -> aside.add(Scope.own(one.value().clone())));
        }
    }

    /** Exchanges the network's values with those that were put aside. */
    void exchange() {
        for (int i = 0; i < aside.size(); i++) {
            Parameter parameter = network.parameters().get(i);
            try (Scope scope = Scope.open()) {
                Tensor now = parameter.value().clone();
                parameter.assign(aside.get(i));
                aside.get(i).copy_(now);
            }
        }
    }

    private void forget() {
        aside.forEach(Scope::disown);
        aside.clear();
    }

    @Override
    public void close() {
        forget();
        freeze();
    }
}
