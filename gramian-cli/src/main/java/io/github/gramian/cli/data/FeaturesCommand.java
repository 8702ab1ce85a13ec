package io.github.gramian.cli.data;

import static java.util.Map.entry;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.weights.internal.BackboneFile;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.cli.common.TrustOption;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRecipe;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Cpu;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gramian features}: runs a frozen backbone over a dataset and caches its features. */
@Command(
        name = "features",
        description = {
            "Computes and caches the features of all images of a dataset.",
            "A stopped run continues where it stopped. Cached images are skipped."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian features --root photos/ --backbone resnet50.safetensors --out cache/",
            "  gramian features --dataset dtd --root dtd/ --backbone resnet50.safetensors --tap res4f,res5c --out cache/"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class FeaturesCommand extends PrintingCommand {

    /** Plain Java, as are all options: help and version need no engine. */
    private enum Storage {
        F16,
        BF16,
        F32;

        TensorType type() {
            return TensorType.valueOf(name());
        }
    }

    @Option(names = "--root", required = true, description = "Directory of the dataset, or a CSV manifest.")
    private Path root;

    @Option(
            names = "--dataset",
            description = "Layout of the dataset, such as dtd or folders. If missing, Gramian detects it.")
    private @Nullable String layoutName;

    @Option(
            names = "--backbone",
            required = true,
            description = "Weights file from 'gramian weights import', or a TorchScript file.")
    private Path weights;

    @Mixin
    private TrustOption trust;

    @Option(
            names = "--out",
            required = true,
            description = "Directory of the feature cache; it may hold features of several kinds.")
    private Path out;

    @Option(
            names = "--tap",
            split = ",",
            defaultValue = "res5c",
            description = "Layers whose features are computed (default: ${DEFAULT-VALUE}).")
    private List<String> taps;

    @Option(
            names = "--size",
            defaultValue = "224",
            description = "Side of a view in pixels (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(
            names = "--preprocessing",
            description = "Complete preprocessing, as this command prints it (default: short side to 8/7 of"
                    + " the size, then the centre).")
    private @Nullable String preprocessing;

    @Option(
            names = "--precision",
            description =
                    "Precision of the backbone: ${COMPLETION-CANDIDATES} (default: bfloat16 if the CPU has instructions for it,"
                            + " otherwise float).")
    private @Nullable Precision precision;

    @Option(
            names = "--storage",
            defaultValue = "F16",
            description = "Type of the stored features: F16, BF16 or F32 (default: ${DEFAULT-VALUE}).")
    private Storage storage;

    @Option(
            names = "--batch",
            defaultValue = "16",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(names = "--seed", defaultValue = "0", description = "Random seed of views (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--verify",
            description = "Read all cached features and compare them with their checksums; exit 1 if some are damaged.")
    private boolean verify;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Layout layout = layoutName == null ? Layouts.detect(root) : Layouts.named(layoutName);
        Dataset dataset = layout.open(root, layout.released(), 1, new Seed(seed));
        List<Path> files = dataset.samples().stream().map(dataset::file).toList();
        try (Backbone backbone = new BackboneFile(weights, trust.trusted()).load(options(), size)) {
            backbone.requireSize(size);
            FeatureRecipe recipe = FeatureRecipe.of(backbone, taps, views(backbone), new Seed(seed), storage.type());
            FeatureExtraction extraction = new FeatureExtraction(
                    out, recipe, backbone, ImageDecoder.forLocalFiles(), LoaderSettings.defaults(batch));
            List<String> damaged = damaged(recipe);
            if (!damaged.isEmpty()) {
                reportOnlyDamage(recipe, damaged);
                return ExitCode.SOFTWARE;
            }
            FeatureExtraction.Plan plan = extraction.plan(files);
            announce(recipe, plan);
            long start = System.nanoTime();
            FeatureExtraction.Summary summary = compute(extraction, plan);
            double seconds = (System.nanoTime() - start) / 1e9;
            damaged = summary.computed() == 0 ? damaged : damaged(recipe);
            report(dataset, recipe, summary, plan, seconds, damaged);
            return damaged.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    /** The CPU is asked only when the command runs: all commands are made at every start. */
    private BackboneOptions options() {
        return BackboneOptions.frozen(precision == null ? Cpu.fastestPrecision() : precision);
    }

    private Preprocessing views(Backbone backbone) {
        return preprocessing == null
                ? Preprocessing.centre(
                        Math.round(size * 8 / 7f), size, Interpolation.BILINEAR, backbone.normalisation())
                : PreprocessingKey.parse(preprocessing);
    }

    private FeatureExtraction.Summary compute(FeatureExtraction extraction, FeatureExtraction.Plan plan)
            throws IOException {
        PrintWriter err = stderr();
        try (Progress progress =
                new Progress("features", "images", plan.missing().size(), err, quiet || json)) {
            return extraction.run(plan, (done, total) -> progress.done(done));
        }
    }

    /** Prints the expected size before anything is computed, and fails if it does not fit on the disk. */
    private void announce(FeatureRecipe recipe, FeatureExtraction.Plan plan) throws IOException {
        AtomicFile.makeFolder(out);
        long free = Files.getFileStore(out).getUsableSpace();
        if (plan.bytes() > free) {
            throw new IOException(Text.format(
                    "the features need %s and %s has %s left; choose another --out, fewer --tap or --storage F16",
                    bytes(plan.bytes()), out, bytes(free)));
        }
        if (!quiet && !json) {
            PrintWriter err = stderr();
            err.println(recipe.preprocessing().identity());
            err.println(Text.format(
                    "%s, %d to do: %s in %s (%s each)",
                    Text.count(plan.files().size(), "image"),
                    plan.missing().size(),
                    bytes(plan.bytes()),
                    folder(recipe),
                    bytes(recipe.bytesPerImage())));
            err.flush();
        }
    }

    private void report(
            Dataset dataset,
            FeatureRecipe recipe,
            FeatureExtraction.Summary summary,
            FeatureExtraction.Plan plan,
            double seconds,
            List<String> damaged) {
        Map<String, String> rejects = new LinkedHashMap<>();
        summary.rejects()
                .forEach((file, why) ->
                        rejects.put(dataset.root().relativize(file).toString(), why.sentence()));
        List<String> repaired = plan.missing().isEmpty()
                ? List.of()
                : plan.damaged().stream().map(Path::toString).toList();
        double speed = summary.computed() / seconds;
        if (json) {
            JsonOutput.print(
                    stdout(),
                    Json.members(
                            entry("folder", folder(recipe).toString()),
                            entry("computed", summary.computed()),
                            entry("rejected", rejects.size()),
                            entry("rejects", rejects),
                            entry("imagesPerSecond", speed),
                            entry("repaired", repaired),
                            entry("damaged", damaged)));
            return;
        }
        PrintWriter text = stdout();
        text.println(Text.format(
                "%s computed in %s (%.1f per second), %d rejected",
                Text.count(summary.computed(), "image"), Text.duration(seconds), speed, rejects.size()));
        rejects.forEach((file, why) -> text.println("  rejected " + file + ": " + why));
        repaired.forEach(shard -> text.println("  was damaged and is computed again: " + shard));
        printDamage(damaged);
        text.println("stored in " + folder(recipe));
        text.flush();
    }

    /** With {@code --verify} damage is only reported, so that nothing is overwritten before the user has seen it. */
    private void reportOnlyDamage(FeatureRecipe recipe, List<String> damaged) {
        print(
                json,
                () -> Json.members(entry("folder", folder(recipe).toString()), entry("damaged", damaged)),
                out -> printDamage(damaged));
    }

    private void printDamage(List<String> damaged) {
        PrintWriter text = stdout();
        damaged.forEach(shard -> text.println("  damaged " + shard + ": its checksum does not match"));
        if (!damaged.isEmpty()) {
            text.println("run again without --verify to compute damaged features again");
        }
    }

    private Path folder(FeatureRecipe recipe) {
        return out.resolve(recipe.hash());
    }

    private List<String> damaged(FeatureRecipe recipe) throws IOException {
        if (!verify) {
            return List.of();
        }
        try (FeatureCache cache = FeatureCache.open(out, recipe)) {
            return cache.damagedShards().stream().map(Path::toString).toList();
        }
    }

    private static String bytes(long count) {
        return count < 1 << 20
                ? Text.format("%.1f kB", count / 1024.0)
                : count < 1 << 30
                        ? Text.format("%.1f MB", count / 1048576.0)
                        : Text.format("%.2f GB", count / 1073741824.0);
    }
}
