package io.github.gramian.onnx;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.internal.RandomWeights;
import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scalars;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/** Models with random weights, for export: as if trained, in that every statistic has been seen. */
public final class SmallModel {

    public static final List<String> CLASSES = List.of("bark", "moss \"wet\"", "sand", "图片");
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private SmallModel() {}

    /** A network of one branch on 8×8 feature maps of a tiny ResNet-18. */
    public static NetworkConfig network(AggregatorConfig aggregator) {
        return new NetworkConfig(List.of(branch(aggregator)), 8);
    }

    public static BranchConfig branch(AggregatorConfig aggregator) {
        return new BranchConfig("res3b", 64, 12, true, aggregator, new DescriptorConfig(0, 1e-3, 0.1, Fidelity.EXACT));
    }

    /** Writes a model on a tiny ResNet-18. */
    public static Path write(Path file, NetworkConfig network) throws IOException {
        return write(file, network, new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0));
    }

    /** Writes a model with random weights. */
    public static Path write(Path file, NetworkConfig config, BackboneConfig backbone) throws IOException {
        return write(file, config, backbone, true);
    }

    /** Writes a model on a tiny ResNet-18 with these classes. */
    public static Path write(Path file, NetworkConfig network, List<String> classes) throws IOException {
        return write(
                file, network, new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), true, classes);
    }

    /**
     * Writes a model with random weights.
     *
     * @param seen whether running means have seen anything
     */
    public static Path write(Path file, NetworkConfig config, BackboneConfig backbone, boolean seen)
            throws IOException {
        return write(file, config, backbone, seen, CLASSES);
    }

    private static Path write(
            Path file, NetworkConfig config, BackboneConfig backbone, boolean seen, List<String> classes)
            throws IOException {
        List<Integer> channels = config.branches().stream()
                .map(branch -> Plan.of(backbone).taps().stream()
                        .filter(tap -> tap.isCalled(branch.tap()))
                        .findFirst()
                        .orElseThrow()
                        .channels())
                .toList();
        List<Preprocessing> preprocessing = NetworkFeatures.of(config).scales().stream()
                .map(scale -> Preprocessing.squeeze(
                        scale.size(), Interpolation.BILINEAR, backbone.variant().normalisation()))
                .toList();
        ModelDescription description = new ModelDescription(
                config,
                channels,
                classes,
                new ModelDescription.BackboneNote(backbone.key(), "random", Precision.FLOAT, true),
                preprocessing,
                Optional.empty(),
                Map.of("recipe", "seed: 1\n"));
        try (Scope scope = Scope.open();
                Network network = new Network(config, channels, classes.size(), FLOAT, new Seed(1))) {
            network.parameters().forEach(parameter -> fill(parameter, seen));
            StoredModel.write(
                    file,
                    description,
                    network,
                    new RandomWeights(backbone, new Seed(2)),
                    new TrainingImages(KnownImages.none(), reference()));
        }
        return file;
    }

    /** Made-up scores, evenly spread, so that images differ in their novelty and their sets of classes. */
    private static ModelCertainty reference() {
        int size = 8;
        float[] identity = new float[size * size];
        for (int i = 0; i < size; i++) {
            identity[i * size + i] = 1;
        }
        float[] calibration = new float[999];
        for (int i = 0; i < calibration.length; i++) {
            calibration[i] = -5.4f + 2.4f * (i + 1) / (calibration.length + 1);
        }
        float[] counts = new float[size];
        Arrays.fill(counts, 10);
        float[] spread = new float[size + 1];
        Arrays.fill(spread, 1);
        Novelty.Densities densities =
                new Novelty.Densities(new float[size], 1, identity, identity, identity, counts, spread);
        float[] sets = new float[99];
        for (int i = 0; i < sets.length; i++) {
            sets[i] = (i + 1) / 100f;
        }
        return new ModelCertainty(
                Optional.of(new Novelty(densities, calibration)),
                Optional.of(new PredictionSets(PredictionSets.Source.VALIDATION, sets)));
    }

    private static void fill(Parameter parameter, boolean seen) {
        String name = parameter.name();
        long[] shape = parameter.value().sizes().vec().get();
        Tensor normal = new Seed(3).child(name).normal(FLOAT, shape);
        if (name.endsWith(".seen")) {
            parameter.value().fill_(Scalars.scalar(seen ? 1.0 : 0.0));
        } else if (name.endsWith("sigma.mean") || name.endsWith(".gain")) {
            parameter.value().fill_(Scalars.scalar(3.0));
        } else if (name.endsWith("centring.mean")) {
            parameter.assign(normal.mul(Scalars.scalar(0.05)));
        } else if (name.endsWith("fisher.variances")) {
            parameter.assign(normal.abs().add(Scalars.scalar(0.5)));
        } else if (name.startsWith("classifier")
                || name.endsWith("convolution.bias")
                || name.endsWith("logSmoothing")) {
            parameter.assign(normal.mul(Scalars.scalar(0.3)));
        }
    }
}
