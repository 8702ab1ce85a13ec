package io.github.gramian.cli.model;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.eval.ClassScore;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.recipe.DataConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.CalledUnknown;
import io.github.gramian.run.internal.ModelEvaluator;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gramian evaluate}: the scores of a saved model on labelled images. */
@Command(
        name = "evaluate",
        description = {
            "Evaluates a saved model on labelled images.",
            "By default, images are split as for the model's training. Other images without their own test images are all",
            "evaluated, except those that training has used."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian evaluate runs/first --crops ten --out runs/first-ten",
            "  gramian evaluate runs/first --without-twins --out runs/first-without-twins",
            "  gramian evaluate runs/first --corruptions standard --severities 1,3,5",
            "  gramian evaluate model.gramian --images other-photos/ --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class EvaluateCommand extends PrintingCommand {

    /** Column of the names of corruptions. */
    private static final String NAME = "%-18s";

    private static final int WORST = 5;

    @Mixin
    private ModelArgument model;

    @Option(names = "--images", description = "Directory of the dataset, or a CSV manifest (default: the training's).")
    private @Nullable String images;

    @Option(
            names = "--dataset",
            description = "Layout of the dataset, such as dtd or folders. If missing, Gramian detects it.")
    private @Nullable String layout;

    @Option(
            names = "--protocol",
            description = "Evaluation protocol: standard, paper or another that the dataset offers.")
    private @Nullable String protocol;

    @Option(names = "--split", description = "Number of the dataset's split, starting at 1.")
    private @Nullable Integer split;

    @Option(names = "--seed", description = "Random seed of splits.")
    private @Nullable Long seed;

    @Option(
            names = "--on",
            description =
                    "Part of the dataset: test, val, train, all, or new, which leaves out the images that training has"
                            + " used (default: test, and new for --images without their own test images).")
    private ModelEvaluator.@Nullable Part part;

    @Option(
            names = "--without-twins",
            description = "Leave out test images whose bytes equal an image that training has used.")
    private boolean withoutTwins;

    @Mixin
    private CorruptionOptions corruption;

    @Option(
            names = "--out",
            description = "Directory for scores.json and predictions.jsonl, which 'gramian compare' reads.")
    private @Nullable Path out;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print all scores as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        refuseOtherRun();
        List<Corruption> corruptions = corruption.corruptions();
        long start = System.nanoTime();
        try (BatchPredictor predictor = model.loadAsTrained()) {
            Dataset dataset = dataset(predictor);
            ModelEvaluator.Settings settings =
                    new ModelEvaluator.Settings(part(dataset), model.crop(), model.batch(), withoutTwins);
            ModelEvaluator evaluator = new ModelEvaluator(predictor, settings);
            ModelEvaluator.Result result = evaluate(evaluator, dataset);
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("seconds", Map.of("total", (System.nanoTime() - start) / 1e9));
            facts.put("precision", predictor.precision().name().toLowerCase(Locale.ROOT));
            facts.put("rejected", result.rejected());
            if (withoutTwins) {
                facts.put("twins", result.leftOut());
            } else if (settings.part() == ModelEvaluator.Part.NEW) {
                facts.put("usedInTraining", result.leftOut());
            }
            facts.put("warnings", result.warnings());
            result.unknown().ifPresent(counts -> facts.put("calledUnknown", counts.levels()));
            if (out != null) {
                result.evaluation().write(new RunFolder(out), facts);
            }
            if (corruptions.isEmpty()) {
                report(result, facts);
            } else {
                Robustness robustness = robustness(evaluator, dataset, result, corruptions);
                writeRobustness(robustness);
                reportRobustness(robustness, result, facts);
            }
        }
        return 0;
    }

    /** The folder of a training keeps its own scores; those of an evaluation would not fit its other files. */
    private void refuseOtherRun() {
        if (out != null && Files.exists(new RunFolder(out).recipe())) {
            throw new IllegalArgumentException(out + " is the directory of a training; choose another --out");
        }
    }

    private ModelEvaluator.Part part(Dataset dataset) {
        if (part != null) {
            return part;
        }
        boolean ownSplit = images == null || protocol != null || split != null || seed != null || withoutTwins;
        return ownSplit ? ModelEvaluator.Part.TEST : ModelEvaluator.Part.ofOther(dataset);
    }

    private Dataset dataset(BatchPredictor predictor) {
        String recipe = predictor.description().provenance().getOrDefault("recipe", "");
        Recipe trained = recipe.isEmpty() ? Recipe.standard() : RecipeFile.parse(recipe, List.of());
        DataConfig then = trained.data();
        DataConfig now = new DataConfig(
                images == null ? then.images() : images,
                images == null && layout == null ? then.layout() : layout,
                protocol == null ? then.protocol() : protocol,
                split == null ? then.split() : split,
                then.validation(),
                images == null ? then.groups() : null);
        return now.open(new Seed(seed == null ? trained.seed() : seed));
    }

    private ModelEvaluator.Result evaluate(ModelEvaluator evaluator, Dataset dataset) {
        PrintWriter err = stderr();
        int total = evaluator.count(dataset);
        try (Progress progress = new Progress("evaluating", "images", total, err, quiet || json || corruption.csv())) {
            return evaluator.run(dataset, progress::done);
        }
    }

    private Robustness robustness(
            ModelEvaluator evaluator, Dataset dataset, ModelEvaluator.Result clean, List<Corruption> corruptions) {
        long total =
                (long) corruptions.size() * clean.evaluation().predictions().size();
        try (Progress progress =
                new Progress("corrupted", "images", total, stderr(), quiet || json || corruption.csv())) {
            return evaluator.robustness(dataset, clean.evaluation(), corruptions, progress::done);
        }
    }

    private void writeRobustness(Robustness robustness) throws IOException {
        if (out != null) {
            RunFolder folder = new RunFolder(out);
            AtomicFile.writeText(folder.robustness(), Json.text(robustness.toMap()) + "\n");
            AtomicFile.writeText(folder.robustnessTable(), robustness.csv());
        }
    }

    private void reportRobustness(Robustness robustness, ModelEvaluator.Result result, Map<String, Object> facts) {
        PrintWriter text = stdout();
        if (json) {
            Map<String, Object> tree = new LinkedHashMap<>(robustness.toMap());
            tree.put("rejected", result.rejected());
            tree.put("warnings", result.warnings());
            JsonOutput.print(text, tree);
        } else if (corruption.csv()) {
            text.print(robustness.csv());
            text.flush();
        } else {
            report(result, facts);
            printTable(robustness, text);
            if (out != null) {
                text.println("robustness: " + new RunFolder(out).robustness());
            }
            text.flush();
        }
    }

    private void report(ModelEvaluator.Result result, Map<String, Object> facts) {
        PrintWriter text = stdout();
        if (json) {
            JsonOutput.print(text, result.evaluation().file(facts).toTree());
            return;
        }
        text.println(result.evaluation().part() + ": "
                + result.unknown()
                        .map(CalledUnknown::summary)
                        .orElseGet(() -> result.evaluation().scores().summary()));
        whichImages(result).ifPresent(text::println);
        List<ClassScore> worst = result.evaluation().scores().perClass().stream()
                .filter(one -> one.support() > 0 && one.f1() < 1)
                .sorted(Comparator.comparingDouble(ClassScore::f1))
                .limit(WORST)
                .toList();
        if (!worst.isEmpty()) {
            text.println("worst classes:");
        }
        for (ClassScore one : worst) {
            text.println(Text.format(
                    "  F1 %5.1f %%, recall %5.1f %%, precision %5.1f %%, %4d images  %s",
                    100 * one.f1(), 100 * one.recall(), 100 * one.precision(), one.support(), one.name()));
        }
        result.rejected().forEach((file, why) -> text.println("left out " + file + ": " + why));
        result.warnings().forEach(warning -> text.println("warning: " + warning));
        if (out != null) {
            text.println("scores: " + new RunFolder(out).scores());
        }
        text.flush();
    }

    /** Where it is not obvious: how many images were evaluated, and why not the others. */
    private Optional<String> whichImages(ModelEvaluator.Result result) {
        int leftOut = result.leftOut().size();
        int evaluated =
                result.evaluation().scores().images() + result.rejected().size();
        if (withoutTwins) {
            return Optional.of("twins: left out " + leftOut + " of " + Text.count(evaluated + leftOut, "test image")
                    + ", whose bytes equal an image that training has used");
        }
        if (result.evaluation().part().equals(ModelEvaluator.Part.NEW.key())) {
            return Optional.of("left out: " + leftOut + " of " + Text.count(result.total(), "image")
                    + ", because training has used them");
        }
        return images == null || evaluated == result.total()
                ? Optional.empty()
                : Optional.of("evaluated: " + evaluated + " of " + Text.count(result.total(), "image")
                        + "; to evaluate all that training has not used, add --on new");
    }

    /** The options of {@code gramian evaluate} that measure robustness. */
    @SuppressWarnings("NullAway.Init") // picocli sets the fields
    static final class CorruptionOptions {

        @Option(
                names = "--corruptions",
                paramLabel = "NAMES",
                arity = "0..1",
                fallbackValue = "standard",
                description = {
                    "Also evaluate on corrupted images: standard (the fifteen types of ImageNet-C), all,",
                    "or names such as fog,motion_blur. Without names: standard."
                })
        private @Nullable String names;

        @Option(
                names = "--severities",
                paramLabel = "LIST",
                description = "Severities of corruptions, from 1 to 5 (default: 1,2,3,4,5).")
        private @Nullable String severities;

        @Option(names = "--csv", description = "Print the accuracies on corrupted images as CSV.")
        private boolean csv;

        boolean csv() {
            return csv;
        }

        /** Every corruption at every severity, in the given order; none if robustness is not measured. */
        List<Corruption> corruptions() {
            if (names == null) {
                requireNone("--severities", severities != null);
                requireNone("--csv", csv);
                return List.of();
            }
            List<Corruption> corruptions = new ArrayList<>();
            for (CorruptionType type : CorruptionType.list(List.of(names.split(",", -1)))) {
                for (int severity : numbers(severities == null ? "1,2,3,4,5" : severities)) {
                    corruptions.add(new Corruption(type, severity));
                }
            }
            return corruptions;
        }

        private static Set<Integer> numbers(String list) {
            Set<Integer> numbers = new LinkedHashSet<>();
            for (String number : list.split(",", -1)) {
                try {
                    numbers.add(Integer.valueOf(number.strip()));
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException(
                            "--severities takes numbers from 1 to 5 separated by commas, such as 1,3,5, not '" + list
                                    + "'");
                }
            }
            return numbers;
        }

        private static void requireNone(String option, boolean given) {
            if (given) {
                throw new IllegalArgumentException(option + " needs --corruptions; add --corruptions standard");
            }
        }
    }

    /** Accuracies on corrupted images: one row per corruption, one column per severity, all in percent. */
    private static void printTable(Robustness robustness, PrintWriter text) {
        List<Integer> severities = robustness.corruptions().stream()
                .map(Robustness.Cell::severity)
                .distinct()
                .toList();
        text.println("accuracy on corrupted images in percent, by severity:");
        StringBuilder header = new StringBuilder(Text.format(NAME, "corruption"));
        severities.forEach(severity -> header.append(Text.format("%7d", severity)));
        text.println(header.append("   mean   loss"));
        robustness.corruptions().stream()
                .map(Robustness.Cell::name)
                .distinct()
                .forEach(name -> text.println(row(
                        name,
                        robustness.corruptions().stream()
                                .filter(cell -> cell.name().equals(name))
                                .map(Robustness.Cell::accuracy)
                                .toList(),
                        robustness.meanOf(name),
                        robustness.clean())));
        text.println(row(
                "mean", severities.stream().map(robustness::meanOf).toList(), robustness.mean(), robustness.clean()));
        text.println(Text.format(
                "robustness: clean %.1f %%, corrupted %.1f %%, loss %.1f points (%s)",
                100 * robustness.clean(),
                100 * robustness.mean(),
                100 * robustness.loss(),
                Text.count(robustness.images(), "image")));
    }

    private static String row(String name, List<Double> accuracies, double mean, double clean) {
        StringBuilder row = new StringBuilder(Text.format(NAME, name));
        accuracies.forEach(accuracy -> row.append(percent(accuracy)));
        return row.append(percent(mean)).append(percent(clean - mean)).toString();
    }

    private static String percent(double fraction) {
        return Text.format("%7.1f", 100 * fraction);
    }
}
