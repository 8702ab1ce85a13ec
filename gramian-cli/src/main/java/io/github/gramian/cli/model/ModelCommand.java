package io.github.gramian.cli.model;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.InferenceProvider;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian model …}: the description of a saved model. */
@Command(
        name = "model",
        description = "Inspects saved models.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class ModelCommand extends PrintingCommand {

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(spec().commandLine(), "missing subcommand; available: show");
    }

    @Command(
            name = "show",
            description = {
                "Prints what a model file contains.",
                "Lists network, classes, backbone, evaluation protocol and provenance, and checks the hash of all"
                        + " weights."
            },
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Examples:",
                "  gramian model show runs/first",
                "  gramian model show model.gramian --json",
                "  gramian model show model.onnx"
            })
    int show(
            @Parameters(
                            paramLabel = "MODEL",
                            description = "A model.gramian, its run directory, or an exported ONNX file.")
                    Path given,
            @Option(names = "--json", description = "Print the result as JSON.") boolean json)
            throws IOException {
        Path path = ModelArgument.file(given);
        Optional<InferenceProvider> other = InferenceProvider.of(path);
        Shown shown = other.isPresent() ? exported(other.get(), path) : own(path);
        print(json, () -> toMap(shown), out -> print(shown, out));
        return 0;
    }

    /**
     * The shown properties of a model.
     *
     * @param novelty reference of training images
     * @param verified whether the weights were compared with their hash
     * @param photographs what it does with whole photographs
     */
    private record Shown(
            ModelDescription model,
            String weightsHash,
            Optional<Novelty> novelty,
            boolean verified,
            Optional<Whole> photographs) {

        private boolean findsDefects() {
            return photographs.filter(Whole::findsDefects).isPresent();
        }

        private String reference() {
            return novelty.map(one -> Text.format(
                            "%s, %s, %s",
                            Text.count(one.images(), "training image"),
                            Text.count(one.rank(), "component"),
                            Text.count(one.calibrationCount(), "calibration score")))
                    .orElse("none, so unknown images are not recognised; train the model again");
        }
    }

    /**
     * What a model does with whole photographs.
     *
     * @param resize rule of their size
     * @param findsDefects whether it knows good parts only
     */
    private record Whole(String resize, boolean findsDefects) {

        private String sentence() {
            return "whole, resized by " + resize
                    + (findsDefects ? "; good or defect, by the score of each place" : "; a map of the classes");
        }
    }

    private static Shown own(Path path) throws IOException {
        try (StoredModel file = StoredModel.open(path)) {
            file.verify();
            return new Shown(
                    file.description(),
                    file.weightsHash(),
                    file.reference().novelty(),
                    true,
                    file.photographs()
                            .map(parts -> new Whole(
                                    parts.view().resize().key(), parts.surface().isPresent())));
        }
    }

    /** A file in another format is loaded by its engine, which compares its graph with its description. */
    private static Shown exported(InferenceProvider provider, Path path) throws IOException {
        try (Inference inference = provider.load(path)) {
            return new Shown(
                    inference.description(),
                    inference.weightsHash(),
                    inference.reference().novelty(),
                    false,
                    inference
                            .photographs()
                            .map(reader -> new Whole(reader.view().resize().key(), reader.findsDefects())));
        }
    }

    private static Map<String, @Nullable Object> toMap(Shown shown) {
        ModelDescription model = shown.model();
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("weightsSha256", shown.weightsHash());
        map.put("network", ConfigJson.toTree(model.network()));
        map.put("inputChannels", model.inputChannels());
        map.put("descriptorLength", model.network().descriptorLength(model.inputChannels()));
        map.put("classes", model.classes());
        map.put("backbone", ConfigJson.toTree(model.backbone()));
        map.put(
                "preprocessing",
                model.preprocessing().stream().map(one -> one.identity()).toList());
        map.put(
                "reference",
                shown.novelty()
                        .map(one -> Map.of(
                                "images", one.images(),
                                "components", one.rank(),
                                "calibrationScores", one.calibrationCount()))
                        .orElse(null));
        map.put("photographs", shown.photographs().map(Json::treeOf).orElse(null));
        map.put("passport", model.protocol().orElse(null));
        map.put("provenance", model.provenance());
        return map;
    }

    private static void print(Shown shown, PrintWriter out) {
        ModelDescription model = shown.model();
        out.println("weights     sha256 " + shown.weightsHash()
                + (shown.verified()
                        ? ""
                        : ", of the model that was exported; this file's own are not compared with it"));
        out.println("backbone    " + model.backbone().name() + ", "
                + (model.backbone().embedded() ? "in the file" : "not in the file")
                + ", trained from sha256 " + model.backbone().weightsHash());
        shown.photographs().ifPresent(whole -> out.println("photograph  " + whole.sentence()));
        // A model of good parts uses nothing of its network.
        if (!shown.findsDefects()) {
            for (BranchConfig branch : model.network().branches()) {
                out.println("branch      " + ConfigJson.toJson(branch));
            }
            model.preprocessing().forEach(one -> out.println("input       " + one.identity()));
            out.println("descriptor  " + model.network().descriptorLength(model.inputChannels()) + " dimensions");
            out.println("reference   " + shown.reference());
        }
        out.println("classes     " + model.classes().size() + ": " + String.join(", ", model.classes()));
        model.protocol().ifPresent(protocol -> {
            out.println("evaluation protocol");
            protocol.fields().forEach((key, value) -> out.println("  " + key + ": " + value));
        });
        out.println("provenance");
        model.provenance().forEach((key, value) -> {
            if (value.contains("\n")) {
                out.println("  " + key + ":");
                value.lines().forEach(line -> out.println("    " + line));
            } else {
                out.println("  " + key + ": " + value);
            }
        });
    }
}
