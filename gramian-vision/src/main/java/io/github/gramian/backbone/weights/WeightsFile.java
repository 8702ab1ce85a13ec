package io.github.gramian.backbone.weights;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.internal.RandomWeights;
import io.github.gramian.backbone.weights.internal.SourceFormat;
import io.github.gramian.backbone.weights.internal.SourceHash;
import io.github.gramian.image.internal.ImageTitle;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A file with the weights of a built-in network: safetensors with torchvision's names, and in its metadata the network it
 * belongs to, where it came from and under what licence. Opening one checks every name and shape against the network's plan.
 */
public final class WeightsFile implements AutoCloseable {

    private static final String FORMAT = "format";
    private static final int SHOWN_NAMES = 6;
    private static final String CURRENT = "gramian-weights/1";

    private final Path path;
    private final SafetensorsFile file;
    private final BackboneConfig config;

    private WeightsFile(Path path, SafetensorsFile file, BackboneConfig config) {
        this.path = path;
        this.file = file;
        this.config = config;
    }

    /** Opens and checks a file that {@link WeightsImport} wrote. */
    public static WeightsFile open(Path path) throws IOException {
        Optional<WeightsException> other = otherFile(path);
        if (other.isPresent()) {
            throw other.get();
        }
        SafetensorsFile file = SafetensorsFile.open(path);
        try {
            BackboneConfig config = config(path, file.metadata());
            Map<String, List<Long>> shapes = new LinkedHashMap<>();
            for (TensorEntry entry : file.entries()) {
                shapes.put(entry.name(), entry.shape());
            }
            requireFit(path, config, shapes, List.of());
            return new WeightsFile(path, file, config);
        } catch (RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    /** Whether the metadata of a file declares a Gramian weights file; the file may still be invalid. */
    public static boolean isOne(Path path) throws IOException {
        if (SourceFormat.of(path) != SourceFormat.SAFETENSORS) {
            return false;
        }
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            return file.metadata().getOrDefault(FORMAT, "").startsWith("gramian-weights/");
        }
    }

    /** An error for a directory or a file in another format; empty for a safetensors file and for unknown content. */
    private static Optional<WeightsException> otherFile(Path path) throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        Optional<String> image = ImageTitle.of(path);
        if (image.isPresent()) {
            return Optional.of(new WeightsException(
                    path + " is " + image.get() + ", not a weights file; give a file made by: gramian weights import"));
        }
        if (Files.isDirectory(path) && !Files.exists(path.resolve("model.json"))) {
            return Optional.of(new WeightsException(
                    path + " is a directory, not a weights file; give a file made by: gramian weights import"));
        }
        return SourceFormat.recognise(path)
                .filter(format -> format != SourceFormat.SAFETENSORS)
                .map(format -> new WeightsException(path + " is not a weights file of Gramian (its format is: "
                        + format.title() + "); convert it with: gramian weights import " + path
                        + " --as NAME --out FILE.safetensors"));
    }

    /**
     * Compares the weights of a file with those that the network needs: nothing missing, nothing extra, every shape correct.
     *
     * @param found name → shape of what the file has, by our names
     * @param unknown what else it has, by its own names
     */
    static void requireFit(Path source, BackboneConfig config, Map<String, List<Long>> found, List<String> unknown)
            throws WeightsException {
        Map<String, List<Long>> due = Plan.of(config).weights();
        List<String> missing =
                due.keySet().stream().filter(name -> !found.containsKey(name)).toList();
        List<String> unexpected = new ArrayList<>(unknown);
        found.keySet().stream().filter(name -> !due.containsKey(name)).forEach(unexpected::add);
        List<String> misshapen = found.entrySet().stream()
                .filter(weight ->
                        due.containsKey(weight.getKey()) && !weight.getValue().equals(due.get(weight.getKey())))
                .map(weight -> weight.getKey() + " " + weight.getValue() + " instead of " + due.get(weight.getKey()))
                .toList();
        if (missing.isEmpty() && unexpected.isEmpty() && misshapen.isEmpty()) {
            return;
        }
        throw new WeightsException(source + " does not fit " + config.key() + ":" + part("missing", missing)
                + part("unexpected", unexpected) + part("of wrong shape", misshapen)
                + " Choose the architecture and variant it was saved from.");
    }

    private static String part(String what, List<String> names) {
        if (names.isEmpty()) {
            return "";
        }
        String shown = String.join(", ", names.subList(0, Math.min(SHOWN_NAMES, names.size())));
        return " " + names.size() + " " + what + " (" + shown + (names.size() > SHOWN_NAMES ? ", …" : "") + ").";
    }

    private static BackboneConfig config(Path path, Map<String, String> metadata) throws WeightsException {
        if (metadata.getOrDefault(FORMAT, "").startsWith("gramian-model/")) {
            throw new WeightsException(
                    path + " is a trained model, not a weights file; give a file made by:" + " gramian weights import");
        }
        if (!CURRENT.equals(metadata.get(FORMAT))) {
            throw new WeightsException(
                    path + " is not a weights file of this version; make one with: gramian weights import "
                            + path.getFileName() + " --as NAME --out FILE");
        }
        try {
            return new BackboneConfig(
                    Architecture.named(metadata.getOrDefault("architecture", "")),
                    Variant.named(metadata.getOrDefault("variant", "")),
                    Integer.parseInt(metadata.getOrDefault("classes", "")));
        } catch (IllegalArgumentException e) {
            throw new WeightsException(path + ": " + e.getMessage(), e);
        }
    }

    /** Writes random weights as a file like any other: to try things out without trained weights. */
    public static void writeRandom(Path target, BackboneConfig config, Seed seed) throws IOException {
        RandomWeights random = new RandomWeights(config, seed);
        Map<String, SafetensorsWriter.Planned> planned = new TreeMap<>();
        Plan.of(config)
                .weights()
                .forEach((name, shape) -> planned.put(
                        name, new SafetensorsWriter.Planned(TensorType.F32, shape, () -> random.weight(name))));
        String source = "random numbers, seed " + seed.value();
        SafetensorsWriter.writePlanned(
                target, planned, metadata(config, Map.of("source", source, "licence", "none needed")));
    }

    static Map<String, String> metadata(BackboneConfig config, Map<String, String> provenance) {
        Map<String, String> metadata = new TreeMap<>(provenance);
        metadata.put(FORMAT, CURRENT);
        metadata.put("architecture", config.architecture().key());
        metadata.put("variant", config.variant().key());
        metadata.put("classes", Integer.toString(config.classes()));
        metadata.put("preprocessing", config.variant().normalisation().key());
        return metadata;
    }

    /** Which network the weights belong to. */
    public BackboneConfig config() {
        return config;
    }

    /** Everything that is noted: source, sha256 of the source, licence, … */
    public Map<String, String> metadata() {
        return file.metadata();
    }

    /** Builds the network. The backbone does not need this file afterwards. */
    public ConvolutionalBackbone load(BackboneOptions options) throws IOException {
        return ConvolutionalBackbone.of(config, file::tensor, SourceHash.of(path), options);
    }

    /** Opens, builds and closes. */
    public static ConvolutionalBackbone load(Path path, BackboneOptions options) throws IOException {
        try (WeightsFile file = open(path)) {
            return file.load(options);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
