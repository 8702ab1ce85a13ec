package io.github.gramian.recipe.internal;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.RandomWeights;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model file with random weights, for benchmarks and rehearsals: it takes the time and memory of a trained
 * one.
 *
 * @param recipe that a training of such a model would have
 */
public record SyntheticModel(Architecture architecture, List<String> classes, Seed seed, Recipe recipe) {

    /** One of the default recipe. */
    public SyntheticModel(Architecture architecture, List<String> classes, Seed seed) {
        this(architecture, classes, seed, Recipe.standard());
    }

    /** Writes it; {@link io.github.gramian.model.Predictor#load(Path)} reads it like any other. */
    public void write(Path target) throws IOException {
        BackboneConfig config = new BackboneConfig(architecture, Variant.TORCHVISION, 0);
        RandomWeights weights = new RandomWeights(config, seed.child("backbone"));
        Placement placement = Placement.cpu(Precision.FLOAT);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone = ConvolutionalBackbone.of(
                        config, weights, "random:" + seed.value(), new BackboneOptions(placement, false, null))) {
            NetworkConfig network = recipe.network().on(backbone);
            List<Integer> channels = FeatureMaps.channels(backbone, NetworkFeatures.of(network));
            ModelDescription description = new ModelDescription(
                    network,
                    channels,
                    classes,
                    new ModelDescription.BackboneNote(
                            config.key(),
                            backbone.weightsHash(),
                            recipe.backbone().precision(),
                            true),
                    NetworkFeatures.of(network).scales().stream()
                            .map(scale -> recipe.views().test(scale.size(), backbone.normalisation()))
                            .toList(),
                    Optional.empty(),
                    Map.of());
            try (Network head = new Network(network, channels, classes.size(), placement, seed.child("network"))) {
                StoredModel.write(target, description, head, weights);
            }
        }
    }
}
