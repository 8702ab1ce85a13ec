package io.github.gramian.onnx.export.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.certainty.internal.CertaintyFile;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.DenseParts;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.dense.internal.Surface;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.json.internal.Json;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.runtime.internal.Contract;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A saved model with its weights in memory, as it is exported: large products exact, whatever the model was trained with,
 * since ONNX has no others. It owns backbone and network.
 */
public final class LoadedModel implements AutoCloseable {

    /**
     * Writes ASCII. ONNX Runtime's Java code reads metadata as modified UTF-8, which encodes characters outside of the basic
     * plane differently from UTF-8.
     */
    private static final JsonMapper JSON =
            Json.codec().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final ModelDescription description;
    private final Map<String, String> metadata;
    private final String weightsHash;
    private final ModelCertainty reference;
    private final ConvolutionalBackbone backbone;
    private final Network network;
    private final Optional<DenseParts> photographs;

    private LoadedModel(StoredModel file, ConvolutionalBackbone backbone, Network network) throws IOException {
        this.description = file.description();
        this.metadata = new TreeMap<>(file.metadata());
        this.weightsHash = file.weightsHash();
        this.reference = file.reference();
        this.backbone = backbone;
        this.network = network;
        this.photographs = file.photographs();
    }

    /** Reads backbone and network of a file whose hashes were checked. */
    public static LoadedModel of(StoredModel file, Placement placement) throws IOException {
        if (file.description().backbone().name().startsWith("torchscript:")) {
            throw new ModelException("the model's backbone is a TorchScript module ("
                    + file.description().backbone().name()
                    + "), which is not exported; train on one of the built-in backbones");
        }
        // Plain, so that the comparison with the file is one of two engines.
        ConvolutionalBackbone backbone = file.backbone(new BackboneOptions(placement, true, null).plain());
        try {
            return new LoadedModel(file, backbone, exact(file.network(placement)));
        } catch (IOException | RuntimeException failure) {
            backbone.close();
            throw failure;
        }
    }

    /** The same network with exact products; closes the one that is given if another is made. */
    private static Network exact(Network network) {
        NetworkConfig config = new NetworkConfig(
                network.config().branches().stream().map(LoadedModel::exact).toList(),
                network.config().logitScale());
        if (config.equals(network.config())) {
            return network;
        }
        try (network;
                Scope scope = Scope.open()) {
            Network other =
                    new Network(config, network.inputChannels(), network.classes(), network.placement(), new Seed(0));
            for (Parameter parameter : other.parameters()) {
                parameter.assign(network.parameter(parameter.name()).value());
            }
            return other;
        }
    }

    private static BranchConfig exact(BranchConfig branch) {
        return branch.aggregator() instanceof AggregatorConfig.SpdMatrix matrix
                ? new BranchConfig(
                        branch.tap(),
                        branch.size(),
                        branch.convolution(),
                        branch.rectify(),
                        new AggregatorConfig.SpdMatrix(
                                matrix.aggregation(), matrix.transforms(), ProductPrecision.EXACT, matrix.root()),
                        branch.descriptor())
                : branch;
    }

    public ModelDescription description() {
        return description;
    }

    /** The backbone, from images to feature maps. */
    public ConvolutionalBackbone backbone() {
        return backbone;
    }

    /** The network after the backbone, from feature maps to probabilities, with exact products. */
    public Network network() {
        return network;
    }

    /** What reads whole photographs if the model knows good parts only; its maps of classes are not exported. */
    public Optional<PhotoReader> good() {
        return photographs.filter(parts -> parts.surface().isPresent()).map(parts -> parts.on(backbone));
    }

    /**
     * The whole model as a graph, which reads weights when it is written.
     *
     * @param pixels whether it takes pixels and normalises them itself; not for a model of good parts
     */
    public OnnxGraph graph(boolean pixels) throws ModelException {
        Optional<Surface> surface = photographs.flatMap(DenseParts::surface);
        return surface.isPresent()
                ? SurfaceGraph.of(backbone.steps(), surface.get().parts())
                : ModelGraph.of(backbone, network, description.preprocessing(), pixels);
    }

    /** The metadata of an exported file: {@code gramian.model} contains everything that {@link StoredModel} does. */
    public OnnxFile.About about() {
        String version = GramianVersion.text();
        OnnxFile.About about = new OnnxFile.About(
                version,
                Map.of(
                        Contract.MODEL,
                        json(metadata),
                        "gramian.weights.sha256",
                        weightsHash,
                        Contract.REFERENCE,
                        CertaintyFile.text(reference),
                        "gramian.version",
                        version,
                        "classes",
                        json(description.classes())));
        return photographs
                .flatMap(DenseParts::surface)
                .map(surface -> about.with(Contract.GRID, json(DenseParts.grid(backbone, surface))))
                .orElse(about);
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("plain lists and maps always become JSON", e);
        }
    }

    @Override
    public void close() {
        network.close();
        backbone.close();
    }
}
