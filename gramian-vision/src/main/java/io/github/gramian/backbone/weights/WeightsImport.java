package io.github.gramian.backbone.weights;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.Blueprint.ResNet;
import io.github.gramian.backbone.internal.Blueprint.Vit;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.weights.internal.ForeignName;
import io.github.gramian.backbone.weights.internal.ForeignName.Layout;
import io.github.gramian.backbone.weights.internal.SourceFormat;
import io.github.gramian.backbone.weights.internal.SourceHash;
import io.github.gramian.backbone.weights.internal.SourceWeights;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Turns published weights (PyTorch, safetensors, Keras, TensorFlow.js) into a {@link WeightsFile}, changing no value. */
public final class WeightsImport {

    private static final String COUNTER = ".num_batches_tracked";

    private WeightsImport() {}

    /**
     * What to import.
     *
     * @param variant null to recognise it from the format and the names
     * @param licence note about the licence; null to take it from the source
     */
    public record Request(
            Path source,
            Architecture architecture,
            @Nullable Variant variant,
            @Nullable String licence) {}

    /**
     * What was imported.
     *
     * @param ignored entries of the source that are not weights: counters, optimizer states, a token for training only
     */
    public record Report(
            BackboneConfig config,
            String sourceFormat,
            String sourceSha256,
            int tensors,
            long values,
            List<String> ignored) {

        public Report {
            ignored = List.copyOf(ignored);
        }
    }

    /** Reads, checks every name and shape, and writes the file; on failure nothing is written. */
    public static Report run(Request request, Path out) throws IOException {
        try (SourceWeights source = SourceFormat.open(request.source())) {
            if (WeightsFile.isOne(request.source())) {
                throw new WeightsException(request.source() + " is a Gramian weights file already; use it as it is");
            }
            Translation translation = translate(request.architecture(), source);
            Variant variant = variant(request, source);
            BackboneConfig config = config(request.architecture(), variant, translation);
            Plan plan = Plan.of(config);
            Map<String, List<Long>> shapes = new LinkedHashMap<>();
            translation.found().forEach((name, tensor) -> shapes.put(name, tensor.shape()));
            WeightsFile.requireFit(request.source(), config, shapes, translation.unknown());
            String sha256 = SourceHash.of(request.source());
            write(out, config, translation, provenance(request, source, sha256));
            return new Report(
                    config, source.format().title(), sha256, shapes.size(), plan.valueCount(), translation.ignored());
        }
    }

    /** Our names → tensors turned into our layout; and what could not be named. */
    private record Translation(Map<String, SourceTensor> found, List<String> unknown, List<String> ignored) {}

    private static Translation translate(Architecture architecture, SourceWeights source) throws WeightsException {
        Map<String, SourceTensor> found = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        List<String> ignored = new ArrayList<>(source.notes().skipped());
        for (Map.Entry<String, SourceTensor> entry : source.tensors().entrySet()) {
            String name = entry.getKey();
            if (name.endsWith(COUNTER) || name.equals(ForeignName.MASK_TOKEN)) {
                ignored.add(name);
                continue;
            }
            Optional<ForeignName> meaning = source.format().isKeras()
                    ? ForeignName.keras(architecture, name)
                    : Optional.of(ForeignName.torch(architecture, name));
            if (meaning.isEmpty()) {
                unknown.add(name);
            } else if (found.put(
                            meaning.get().ours(),
                            turned(name, entry.getValue(), meaning.get().layout()))
                    != null) {
                throw new WeightsException(
                        "two tensors of the source both mean " + meaning.get().ours());
            }
        }
        return new Translation(found, unknown, ignored);
    }

    private static SourceTensor turned(String name, SourceTensor tensor, Layout layout) throws WeightsException {
        if (!tensor.type().isFloatingPoint()) {
            throw new WeightsException(
                    "tensor '" + name + "' has type " + tensor.type() + "; weights must have a floating-point type");
        }
        return new SourceTensor(
                tensor.type(),
                layout.shape(tensor.shape()),
                () -> finite(name, layout.apply(tensor.load()).contiguous()));
    }

    private static Tensor finite(String name, Tensor tensor) throws WeightsException {
        if (!tensor.isfinite().all().item_bool()) {
            throw new WeightsException("tensor '" + name + "' holds values that are not finite (NaN or infinite);"
                    + " the file is damaged or its training diverged: use other weights");
        }
        return tensor;
    }

    private static Variant variant(Request request, SourceWeights source) throws WeightsException {
        Variant variant = request.variant() != null ? request.variant() : guess(request.architecture(), source);
        double epsilon = source.notes().epsilon().orElse(variant.epsilon());
        if (Math.abs(epsilon - variant.epsilon()) > 1e-3 * variant.epsilon()) {
            throw new WeightsException("the source's batch-norms have epsilon " + epsilon + " but the variant "
                    + variant.key() + " has " + variant.epsilon() + "; choose another with --variant");
        }
        return variant;
    }

    /**
     * Only today's Keras uses "block" in a ResNet's names. PyTorch files are torchvision's unless the user names a variant.
     */
    private static Variant guess(Architecture architecture, SourceWeights source) {
        if (Blueprint.of(architecture) instanceof Vit) {
            return ForeignName.transformerVariant(source.tensors().keySet());
        }
        if (!source.format().isKeras()) {
            return Variant.TORCHVISION;
        }
        boolean today = Blueprint.of(architecture) instanceof ResNet
                && source.tensors().keySet().stream().anyMatch(name -> name.contains("_block"));
        return today ? Variant.KERAS_APPLICATIONS : Variant.KERAS;
    }

    private static BackboneConfig config(Architecture architecture, Variant variant, Translation translation)
            throws WeightsException {
        String last = Blueprint.of(architecture).classifier();
        String classifier = last.split("\\.", 2)[0] + ".";
        SourceTensor tensor = translation.found().get(last + ".weight");
        boolean headless =
                last.isEmpty() || translation.found().keySet().stream().noneMatch(name -> name.startsWith(classifier));
        try {
            if (headless) {
                return new BackboneConfig(architecture, variant, 0);
            }
            long classes = tensor == null || tensor.shape().isEmpty()
                    ? 1000
                    : tensor.shape().get(0);
            return new BackboneConfig(architecture, variant, Math.toIntExact(Math.max(1, classes)));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new WeightsException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Map<String, String> provenance(Request request, SourceWeights source, String sha256) {
        String licence =
                request.licence() != null ? request.licence() : source.notes().licence();
        Map<String, String> notes = new TreeMap<>();
        notes.put(
                "source",
                String.valueOf(request.source().toAbsolutePath().normalize().getFileName()));
        notes.put("source.format", source.format().title());
        notes.put("source.sha256", sha256);
        notes.put("licence", licence.isBlank() ? "not stated by the source" : licence);
        return notes;
    }

    private static void write(Path out, BackboneConfig config, Translation translation, Map<String, String> provenance)
            throws IOException {
        Map<String, SafetensorsWriter.Planned> planned = new TreeMap<>();
        translation
                .found()
                .forEach((name, tensor) ->
                        planned.put(name, new SafetensorsWriter.Planned(tensor.type(), tensor.shape(), tensor::load)));
        SafetensorsWriter.writePlanned(out, planned, WeightsFile.metadata(config, provenance));
    }
}
