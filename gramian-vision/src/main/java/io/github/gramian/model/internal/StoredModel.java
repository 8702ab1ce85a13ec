package io.github.gramian.model.internal;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.ConvolutionalBackbone.WeightSource;
import io.github.gramian.backbone.TorchScriptBackbone;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.certainty.internal.CertaintyFile;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.DenseFile;
import io.github.gramian.dense.internal.DenseParts;
import io.github.gramian.image.internal.ImageTitle;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter.Planned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bytedeco.pytorch.Tensor;

/**
 * A saved model: one safetensors file with the weights of backbone and network, and in its metadata everything else that
 * prediction needs. Any reader of safetensors can open it; opening one executes nothing.
 *
 * <p>Two hashes guard it: {@code weights.sha256} over the tensors, equal for equal trainings, and {@code sha256} over
 * that and all metadata.
 */
public final class StoredModel implements AutoCloseable {

    private static final String HEAD = "network/";

    private static final String TRUNK = "backbone/";

    private final Path path;
    private final SafetensorsFile file;
    private final ModelDescription description;

    private StoredModel(Path path, SafetensorsFile file, ModelDescription description) {
        this.path = path;
        this.file = file;
        this.description = description;
    }

    /**
     * Writes a model atomically.
     *
     * @param backbone source of the backbone's weights under the names of its plan; ignored when they are not embedded
     */
    public static void write(Path target, ModelDescription description, Network network, WeightSource backbone)
            throws IOException {
        write(target, description, network, backbone, TrainingImages.none());
    }

    /**
     * Writes a trained model atomically.
     *
     * @param images what the file stores about the images that its training has used
     */
    public static void write(
            Path target, ModelDescription description, Network network, WeightSource backbone, TrainingImages images)
            throws IOException {
        Map<String, Planned> tensors = new TreeMap<>();
        images.known().addTo(tensors);
        CertaintyFile.add("", images.certainty(), tensors);
        images.photographs().ifPresent(parts -> DenseFile.add(parts, tensors));
        for (Parameter parameter : network.parameters()) {
            tensors.put(HEAD + parameter.name(), Planned.of(parameter.value()));
        }
        if (description.backbone().embedded()) {
            Plan.of(BackboneConfig.named(description.backbone().name()))
                    .weights()
                    .forEach((name, shape) -> tensors.put(
                            TRUNK + name, new Planned(TensorType.F32, shape, () -> asFloat(backbone.weight(name)))));
        }
        Map<String, String> metadata = ModelMetadata.of(description);
        images.photographs().ifPresent(parts -> metadata.put(DenseFile.KEY, DenseFile.text(parts)));
        Sha256 sum = new Sha256();
        for (Map.Entry<String, Planned> entry : tensors.entrySet()) {
            try (Scope scope = Scope.open()) {
                note(
                        sum,
                        entry.getKey(),
                        entry.getValue().type(),
                        entry.getValue().shape());
                TensorBytes.write(entry.getValue().content().load(), sum);
            }
        }
        ModelMetadata.putWeightsHash(metadata, sum.hex());
        ModelMetadata.seal(metadata);
        SafetensorsWriter.writePlanned(target, tensors, metadata);
    }

    private static Tensor asFloat(Tensor weight) {
        return Placement.cpu(Precision.FLOAT).place(weight.detach()).contiguous();
    }

    private static void note(Sha256 sum, String name, TensorType type, List<Long> shape) {
        sum.write(ByteBuffer.wrap((name + '\0' + type + shape + '\n').getBytes(StandardCharsets.UTF_8)));
    }

    /** Opens a model and reads its description; the weights are checked when they are read. */
    public static StoredModel open(Path path) throws IOException {
        SafetensorsFile file;
        try {
            file = SafetensorsFile.open(path);
        } catch (SafetensorsException e) {
            Optional<String> image = ImageTitle.of(path);
            if (image.isPresent()) {
                throw new ModelException(
                        path + " is " + image.get() + ", not a model; name the model first, then the images", e);
            }
            throw new ModelException("not a complete model (" + e.getMessage() + "); copy or train it again", e);
        }
        try {
            ModelMetadata.check(path, file.metadata());
            ModelDescription description = ModelMetadata.description(file.metadata());
            checkShapes(description, file);
            return new StoredModel(path, file, description);
        } catch (IllegalArgumentException | ArithmeticException | NullPointerException e) {
            file.close();
            throw new ModelException(path + " is damaged: " + e.getMessage() + "; copy or train it again", e);
        } catch (RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    /** The description must fit the tensors in the file, so that a small file cannot cause a large allocation. */
    private static void checkShapes(ModelDescription description, SafetensorsFile file) {
        checkShape(
                file,
                "classifier.weight",
                description.classes().size(),
                description.network().descriptorLength(description.inputChannels()));
        List<BranchConfig> branches = description.network().branches();
        for (int b = 0; b < branches.size(); b++) {
            BranchConfig branch = branches.get(b);
            String prefix = "branch" + (b + 1) + ".";
            int size = branch.channels(description.inputChannels().get(b));
            if (branch.convolution() > 0) {
                checkShape(
                        file,
                        prefix + "convolution.weight",
                        size,
                        description.inputChannels().get(b));
            }
            if (branch.aggregator() instanceof AggregatorConfig.SpdMatrix matrix) {
                for (int i = 0; i < matrix.transforms().size(); i++) {
                    int outputDim = matrix.transforms().get(i).outputDim();
                    checkShape(file, prefix + "transform" + (i + 1) + ".W", size, outputDim);
                    size = outputDim;
                }
            } else if (branch.aggregator() instanceof CodebookConfig.RandomEncoder random) {
                checkShape(file, prefix + "encoder.W", random.encoders(), random.hidden(), size);
            }
        }
    }

    private static void checkShape(SafetensorsFile file, String name, long... shape) {
        List<Long> needed = Arrays.stream(shape).boxed().toList();
        boolean fits = file.entries().stream()
                .filter(entry -> entry.name().equals(HEAD + name))
                .anyMatch(entry -> entry.shape().equals(needed));
        if (!fits) {
            throw new IllegalArgumentException("its network needs a '" + name + "' of "
                    + needed.stream().map(String::valueOf).collect(Collectors.joining(" × ")) + " values");
        }
    }

    public ModelDescription description() {
        return description;
    }

    /** The description as it stands in the file, strings by name ({@code docs/model-format.md}). */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(file.metadata());
    }

    /** SHA-256 of the weights: equal for equal trainings. */
    public String weightsHash() {
        return ModelMetadata.weightsHash(file.metadata());
    }

    /** Reads all weights and compares them with the hash. */
    public void verify() throws IOException {
        Map<String, TensorEntry> entries = new TreeMap<>();
        file.entries().forEach(entry -> entries.put(entry.name(), entry));
        Sha256 sum = new Sha256();
        for (TensorEntry entry : entries.values()) {
            note(sum, entry.name(), entry.type(), entry.shape());
            file.copyTo(sum, entry);
        }
        if (!sum.hex().equals(weightsHash())) {
            throw new ModelException(
                    path + ": the weights are not those that were written (their hash does not match); copy or"
                            + " train it again");
        }
    }

    public KnownImages knownImages() throws IOException {
        return KnownImages.read(file);
    }

    /** What the model stores about its training images. */
    public ModelCertainty reference() throws IOException {
        try {
            return CertaintyFile.read("", file);
        } catch (IllegalArgumentException e) {
            throw new ModelException(path + " is damaged: " + e.getMessage() + "; copy or train it again", e);
        }
    }

    /** What the model stores for maps of whole photographs; empty if it was trained without. */
    public Optional<DenseParts> photographs() throws IOException {
        String settings = file.metadata().get(DenseFile.KEY);
        try {
            return settings == null ? Optional.empty() : Optional.of(DenseFile.read(settings, file));
        } catch (IllegalArgumentException e) {
            throw new ModelException(path + " is damaged: " + e.getMessage() + "; copy or train it again", e);
        }
    }

    /** Builds everything after the backbone. */
    public Network network(Placement placement) throws IOException {
        Network network = new Network(
                description.network(),
                description.inputChannels(),
                description.classes().size(),
                placement,
                new Seed(0));
        try {
            for (Parameter parameter : network.parameters()) {
                assign(parameter, placement);
            }
            return network;
        } catch (IOException | RuntimeException failure) {
            network.close();
            throw failure;
        }
    }

    private void assign(Parameter parameter, Placement placement) throws IOException {
        try (Scope scope = Scope.open()) {
            Tensor saved = file.tensor(HEAD + parameter.name());
            if (!saved.is_same_size(parameter.value())) {
                throw new ModelException(path + ": '" + parameter.name()
                        + "': its shape differs from the one that its network needs;" + " copy or train it again");
            }
            parameter.assign(placement.place(saved));
        }
    }

    /** Builds the frozen backbone; if the model does not contain one, the exception explains how to provide it. */
    public ConvolutionalBackbone backbone(Placement placement) throws IOException {
        return backbone(new BackboneOptions(placement, true, null));
    }

    /** The same with other options. */
    public ConvolutionalBackbone backbone(BackboneOptions options) throws IOException {
        if (!description.backbone().embedded()) {
            throw new ModelException(path + " does not hold its backbone " + named(description.backbone()));
        }
        try {
            return ConvolutionalBackbone.of(
                    BackboneConfig.named(description.backbone().name()),
                    name -> file.tensor(TRUNK + name),
                    "model:" + weightsHash(),
                    options);
        } catch (IllegalArgumentException e) {
            throw new ModelException(path + ": " + e.getMessage() + "; use the version of gramian that wrote it", e);
        }
    }

    private static String named(ModelDescription.BackboneNote note) {
        if (!note.name().startsWith(TorchScriptBackbone.PREFIX)) {
            return note.name() + "; load it yourself and pass it with the model";
        }
        String file = note.name().substring(TorchScriptBackbone.PREFIX.length());
        return file + " (sha256 " + note.weightsHash()
                + "), a TorchScript module, which serving, Spark and ONNX do not run;"
                + " use gramian predict, describe or evaluate with --backbone " + file
                + " --trust-backbone-code, or train on a built-in network (gramian weights import)";
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
