package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.TorchScriptBackbone;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** A model of our own format on LibTorch. */
public final class TorchInference implements Inference {

    private final ModelDescription description;
    private final KnownImages known;
    private final ModelCertainty reference;
    private final Backbone backbone;
    private final Network network;
    private final String weightsHash;
    private final Optional<PhotoReader> photographs;

    private TorchInference(StoredModel file, Backbone backbone) throws IOException {
        this.description = file.description();
        this.weightsHash = file.weightsHash();
        this.known = file.knownImages();
        this.reference = file.reference();
        this.backbone = backbone;
        this.photographs = backbone instanceof ConvolutionalBackbone convolutional
                ? file.photographs().map(parts -> parts.on(convolutional))
                : Optional.empty();
        this.network = file.network(new Placement(backbone.placement().device(), Precision.FLOAT));
    }

    /** Loads a model with its own backbone, on the CPU; null for the precision that it was trained with. */
    public static Inference load(Path model, @Nullable Precision precision) throws IOException {
        try (Engine.Start engine = Engine.Start.begin();
                StoredModel file = StoredModel.open(model)) {
            file.verify();
            engine.await();
            Backbone backbone = file.backbone(Placement.cpu(
                    precision == null ? file.description().backbone().precision() : precision));
            try {
                Inference inference = new TorchInference(file, backbone);
                return inference;
            } catch (IOException | RuntimeException failure) {
                backbone.close();
                throw failure;
            }
        }
    }

    /** Loads a model for a given backbone, which belongs to the result. */
    public static Inference withBackbone(Path model, Backbone backbone) throws IOException {
        try (StoredModel file = StoredModel.open(model)) {
            file.verify();
            ModelDescription.BackboneNote note = file.description().backbone();
            if (!fits(note, backbone)) {
                throw new ModelException(model + " was trained on the backbone " + note.name() + ", not on "
                        + backbone.name() + " (sha256 " + note.weightsHash() + " and " + backbone.weightsHash() + ")");
            }
            return new TorchInference(file, backbone);
        }
    }

    /** A scripted module is recognised by its content, whatever its file is called; a built-in network may have been fine-tuned. */
    private static boolean fits(ModelDescription.BackboneNote note, Backbone backbone) {
        return note.name().startsWith(TorchScriptBackbone.PREFIX)
                ? note.weightsHash().equals(backbone.weightsHash())
                : note.name().equals(backbone.name());
    }

    @Override
    public ModelDescription description() {
        return description;
    }

    @Override
    public String weightsHash() {
        return weightsHash;
    }

    @Override
    public KnownImages knownImages() {
        return known;
    }

    @Override
    public ModelCertainty reference() {
        return reference;
    }

    @Override
    public Precision precision() {
        return backbone.placement().precision();
    }

    @Override
    public String engine() {
        String line = Engine.describe().line();
        return backbone instanceof ConvolutionalBackbone network
                ? network.otherEngine()
                        .map(other -> line + ", features by " + other)
                        .orElse(line)
                : line;
    }

    @Override
    public ChannelOrder channelOrder() {
        return ChannelOrder.LAST;
    }

    @Override
    public Optional<PhotoReader> photographs() {
        return photographs;
    }

    @Override
    public Optional<Inference.Differentiable> differentiable() {
        return Optional.of(new Inference.Differentiable(backbone, network));
    }

    @Override
    public Answers answers(List<InputPixels> scales, int views, boolean describe) {
        try (Scope scope = Scope.open()) {
            Tensor descriptors =
                    descriptors(scales.stream().map(ImageTensors::of).toList());
            float[][] probabilities = HostCopy.rows(FeatureMaps.fuseViews(network.probabilities(descriptors), views));
            float[][] fused = describe
                    ? HostCopy.rows(FeatureMaps.fuseViews(descriptors, views))
                    : new float[probabilities.length][0];
            return new Answers(probabilities, fused);
        }
    }

    private Tensor descriptors(List<Tensor> images) {
        List<Tensor> maps = FeatureMaps.raw(backbone, NetworkFeatures.of(description.network()), images).stream()
                .map(features -> FeatureMaps.flat(features, network.placement()))
                .toList();
        return network.describe(maps);
    }

    @Override
    public void close() {
        network.close();
        backbone.close();
    }
}
