package io.github.gramian.model;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A file with a small network of random weights, without its backbone. */
abstract class ModelFileFixture {

    static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    static final List<String> ODD_NAMES = List.of("a \"quoted\" 'name'", "图片 ümläut", "C:\\new\nline", "");
    static final NetworkConfig CONFIG = new NetworkConfig(
            List.of(
                    BranchConfig.kernel("res5b", 64, 6, 4),
                    new BranchConfig(
                            "res4b",
                            64,
                            0,
                            false,
                            new AggregatorConfig.Average(),
                            new DescriptorConfig(0, -1, 0.1, Fidelity.EXACT))),
            5);

    @TempDir
    Path folder;

    final Scope scope = Scope.open();
    final Network network = randomNetwork();
    Path model = Path.of("");

    @BeforeEach
    void write_one_without_its_backbone() throws IOException {
        model = folder.resolve("model.gramian");
        StoredModel.write(model, description(false), network, name -> {
            throw new IllegalStateException("nobody needs the backbone's " + name);
        });
    }

    @AfterEach
    void free() {
        network.close();
        scope.close();
    }

    static Network randomNetwork() {
        Network network = new Network(CONFIG, List.of(512, 256), ODD_NAMES.size(), FLOAT, new Seed(1));
        network.parameters().stream()
                .filter(parameter -> parameter.name().startsWith("classifier") || !parameter.trainable())
                .forEach(parameter -> parameter.assign(new Seed(2)
                        .child(parameter.name())
                        .normal(FLOAT, parameter.value().sizes().vec().get())));
        return network;
    }

    static ModelDescription description(boolean embedded) {
        return new ModelDescription(
                CONFIG,
                List.of(512, 256),
                ODD_NAMES,
                new ModelDescription.BackboneNote("resnet18-torchvision", "abc", Precision.FLOAT, embedded),
                List.of(Preprocessing.centre(72, 64, Interpolation.BILINEAR, Normalisation.TORCHVISION)),
                Optional.empty(),
                Map.of("date", "today", "recipe", "seed: 1\n"));
    }

    /** Opens, reads every number, and builds the network. */
    static void use(Path file) throws IOException {
        try (StoredModel open = StoredModel.open(file)) {
            open.verify();
            open.network(FLOAT).close();
        }
    }
}
