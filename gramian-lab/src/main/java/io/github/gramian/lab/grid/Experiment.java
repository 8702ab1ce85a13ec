package io.github.gramian.lab.grid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.CacheException;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.RunResult.ImageList;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.RunInUseException;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import io.github.gramian.run.internal.SealedJson;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.PeakMemory;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import io.github.gramian.train.internal.FrozenHeads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a grid, one training after another, over one feature cache. Runs with a result are skipped, stopped runs are
 * resumed, failures are recorded, and the other runs continue. Several processes may work on one grid if each is given another
 * part.
 */
public final class Experiment {

    private final List<Grid.Run> runs;
    private final Options options;
    private final ResultFolder results;
    private final @Nullable RobustnessExperiment robustness;
    private final List<Double> durations = new ArrayList<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    private Experiment(List<Grid.Run> runs, Grid.@Nullable Robustness robustness, Options options) {
        this.runs = List.copyOf(runs);
        this.options = options;
        this.results = options.results();
        this.robustness = robustness == null ? null : new RobustnessExperiment(robustness, options);
    }

    /**
     * Options that do not change the results.
     *
     * @param results folder of the results
     * @param cache folder for features, which all runs share
     * @param keepRuns whether models and logs are retained when a run is done
     * @param redo whether results of another recipe are replaced
     * @param checkpointEvery time between checkpoints within an epoch
     * @param stop asked after every step and between runs
     * @param log receives a line when a run starts, and one when it ends
     * @param training receives the events of the training within a run
     */
    public record Options(
            ResultFolder results,
            Path cache,
            boolean keepRuns,
            boolean redo,
            Duration checkpointEvery,
            BooleanSupplier stop,
            Consumer<String> log,
            TrainingListener training) {}

    /**
     * The outcome.
     *
     * @param done runs that have a result now, those from before included
     * @param all runs that were asked for
     * @param stopped whether it was cancelled before the end
     * @param failed what went wrong, by the place of the run
     */
    public record Summary(int done, int all, boolean stopped, Map<String, String> failed) {}

    /**
     * Runs what has no result yet.
     *
     * @param robustness corrupted test images to evaluate all models on; null for none
     * @throws IllegalArgumentException before anything runs, if there is a result or an unfinished run of another recipe
     * @throws IOException if files cannot be read or written: a full disk stops all runs
     */
    public static Summary run(List<Grid.Run> runs, Grid.@Nullable Robustness robustness, Options options)
            throws IOException {
        return new Experiment(runs, robustness, options).run();
    }

    private Summary run() throws IOException {
        Summary trained = trainAll();
        if (robustness == null || trained.stopped()) {
            return trained;
        }
        boolean completed = robustness.run(runs);
        return new Summary(trained.done(), trained.all(), !completed, trained.failed());
    }

    /** A run with a result counts as done unless corrupted images are left to evaluate and its model was deleted. */
    private boolean isDone(Grid.Run run) throws IOException {
        return results.isDone(run, options.redo())
                && (robustness == null
                        || robustness.isDone(run)
                        || Files.exists(new RunFolder(results.training(run)).model()));
    }

    private Summary trainAll() throws IOException {
        if (robustness != null) {
            RobustnessExperiment.requireFrozen(runs);
        }
        List<Grid.Run> toDo = new ArrayList<>();
        for (Grid.Run run : runs) {
            if (isDone(run)) {
                durations.add(RunResult.read(results.result(run)).totalSeconds());
            } else {
                results.claimTraining(run, options.redo());
                toDo.add(run);
            }
        }
        int done = runs.size() - toDo.size();
        log("%d %s to do, %d done before", toDo.size(), toDo.size() == 1 ? "run" : "runs", done);
        for (int i = 0; i < toDo.size(); i++) {
            try {
                if (options.stop().getAsBoolean()) {
                    return new Summary(done, runs.size(), true, failures);
                }
                done += next(toDo, i) ? 1 : 0;
            } catch (TrainingStopped e) {
                return new Summary(done, runs.size(), true, failures);
            }
        }
        return new Summary(done, runs.size(), false, failures);
    }

    /** One run; false if it failed. */
    private boolean next(List<Grid.Run> toDo, int index) throws IOException {
        Grid.Run run = toDo.get(index);
        String place = "run %d of %d%s: " + run.place();
        if (isDone(run)) {
            log(place + " was done meanwhile", index + 1, toDo.size(), "");
            return true;
        }
        OptionalDouble mean =
                durations.stream().mapToDouble(Double::doubleValue).average();
        String left =
                mean.isPresent() ? ", " + Text.duration(mean.getAsDouble() * (toDo.size() - index)) + " left" : "";
        log(place, index + 1, toDo.size(), left);
        try {
            RunResult result = train(run);
            durations.add(result.totalSeconds());
            Double validation = result.measured().validationAccuracy();
            log(
                    "  test %.2f %%%s, %d dimensions, %s",
                    100 * result.accuracy(),
                    validation == null ? "" : Text.format(", validation %.2f %%", 100 * validation),
                    result.footprint().descriptorLength(),
                    Text.duration(result.totalSeconds()));
            return true;
        } catch (TrainingStopped | UncheckedIOException e) {
            throw e;
        } catch (SafetensorsException | CacheException | WeightsException e) {
            throw e; // a damaged file concerns other runs, too
        } catch (RunInUseException e) { // its files belong to another process, which continues
            return failed(run, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            String message = e.getMessage() == null ? e.getClass().getSimpleName() : Text.firstLine(e.getMessage());
            AtomicFile.writeText(results.failure(run), message + "\n");
            if (!options.keepRuns()) {
                results.clean(run);
            }
            return failed(run, message);
        }
    }

    private boolean failed(Grid.Run run, String message) {
        failures.put(run.place(), message);
        log("  failed: %s", message);
        return false;
    }

    private void log(String line, Object... values) {
        options.log().accept(String.format(Locale.ROOT, line, values));
    }

    private RunResult train(Grid.Run run) throws IOException {
        Path folder = results.training(run);
        AtomicFile.makeFolder(folder);
        RunClock clock = RunClock.in(folder);
        @Nullable Long peak = null;
        // A run with scores is complete: it was killed before its result was written, and is not evaluated again.
        if (!Files.exists(new RunFolder(folder).scores())) {
            TrainingOptions training = TrainingOptions.defaults(options.cache())
                    .withoutReportData()
                    .savingEvery(options.checkpointEvery())
                    .stoppedBy(options.stop())
                    .withListener(clock.and(options.training()));
            try {
                OptionalLong bytes = PeakMemory.of(() -> trained(run, folder, training));
                peak = bytes.isPresent() ? (Long) bytes.getAsLong() : null;
            } catch (TrainingStopped e) {
                clock.pause();
                throw e;
            }
        }
        RunResult result = result(run, new RunFolder(folder), clock.stop(), peak);
        Files.deleteIfExists(results.failure(run));
        if (!options.keepRuns() && robustness == null) {
            results.clean(run);
        }
        return result;
    }

    private static void trained(Grid.Run run, Path folder, TrainingOptions training) {
        try {
            Training.of(run.recipe()).with(training).into(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Writes the result, and the images that it is about next to it. */
    private RunResult result(Grid.Run run, RunFolder folder, Map<String, Double> seconds, @Nullable Long peakMemory)
            throws IOException {
        ScoresFile file = ScoresFile.read(folder.scores());
        TreeMap<String, Integer> truths = new TreeMap<>();
        TreeMap<String, Integer> predicted = new TreeMap<>();
        for (Prediction prediction : PredictionsFile.read(folder.predictions(), file)) {
            truths.put(prediction.image(), prediction.truth());
            predicted.put(prediction.image(), prediction.predicted());
        }
        ImageList images = new ImageList(List.copyOf(truths.keySet()), List.copyOf(truths.values()));
        images.keep(results, run.cell());
        RunResult result = new RunResult(
                run.cell(),
                new RunResult.Measured(file.validationAccuracy(), compact(file.scoresTree())),
                new RunResult.Footprint(
                        file.descriptorLength(),
                        file.trainable(),
                        new TreeMap<>(seconds),
                        peakMemory,
                        Files.size(folder.model())),
                file.protocol(),
                ConfigJson.toTree(run.portableRecipe()),
                new RunResult.Answers(images.sha256(), List.copyOf(predicted.values())));
        result.write(results.result(run));
        return result;
    }

    /** The scores without what grows with the number of classes. */
    private static JsonNode compact(ObjectNode scores) {
        scores.remove(List.of("perClass", "confusion"));
        ((ObjectNode) scores.path("calibration")).remove("bins");
        return scores;
    }

    /**
     * The time of a training by part: the time before each event belongs to the part that sends it, the time after the last
     * to {@code end} (the model is written and the test images are evaluated). The time of a stopped training is stored in its
     * folder and added.
     */
    private static final class RunClock implements TrainingListener {

        private final Path file;
        private final Map<String, Double> seconds = new TreeMap<>();
        private long mark = System.nanoTime();

        private RunClock(Path file) {
            this.file = file;
        }

        /** Starts, or continues where the run in this folder was stopped. */
        static RunClock in(Path folder) throws IOException {
            RunClock clock = new RunClock(folder.resolve("seconds.json"));
            if (Files.exists(clock.file)) {
                for (Map.Entry<String, JsonNode> part :
                        SealedJson.read(clock.file).properties()) {
                    if (part.getValue().isNumber()) {
                        clock.seconds.put(part.getKey(), part.getValue().asDouble());
                    }
                }
            }
            return clock;
        }

        @Override
        public void onEvent(TrainingEvent event) {
            if (event instanceof TrainingEvent.Features) {
                add("features");
            } else if (event instanceof TrainingEvent.Step step) {
                add(step.all() ? "final" : "stage" + step.stage());
            } else if (event instanceof TrainingEvent.Epoch epoch) {
                add(epoch.all() ? "final" : "stage" + epoch.stage());
            } else if (event instanceof TrainingEvent.Ridge) {
                add("classifier");
            }
        }

        private void add(String part) {
            long now = System.nanoTime();
            seconds.merge(part, (now - mark) / 1e9, Double::sum);
            mark = now;
        }

        /** The training was stopped; stores the time it has used. */
        void pause() throws IOException {
            add("end");
            SealedJson.write(file, seconds);
        }

        /** The training is over: seconds by part, rounded to milliseconds, and their total. */
        Map<String, Double> stop() {
            add("end");
            Map<String, Double> parts = new TreeMap<>();
            double total = 0;
            for (Map.Entry<String, Double> part : seconds.entrySet()) {
                parts.put(part.getKey(), Math.round(1e3 * part.getValue()) / 1e3);
                total += part.getValue();
            }
            parts.put("total", Math.round(1e3 * total) / 1e3);
            return parts;
        }
    }

    /**
     * Evaluates the models of a grid on corrupted test images: one corruption at one severity after another, the backbone once per
     * image for all models of a split. Results are written after each, so a stopped evaluation continues there.
     */
    private static final class RobustnessExperiment {

        private final Grid.Robustness plan;
        private final Experiment.Options options;
        private final ResultFolder results;

        RobustnessExperiment(Grid.Robustness plan, Experiment.Options options) {
            this.plan = plan;
            this.options = options;
            this.results = options.results();
        }

        /** Refuses a method whose backbone is trained, since such a model shares no features with the others. */
        static void requireFrozen(List<Grid.Run> runs) {
            for (Grid.Run run : runs) {
                if (run.recipe().stage2().runs()) {
                    throw new IllegalArgumentException(
                            "the grid has a robustness section, which needs frozen backbones, but" + " method '"
                                    + run.cell().method() + "' trains its backbone; set stage2.epochs to 0");
                }
            }
        }

        /** Whether all corrupted images of a run were evaluated. */
        boolean isDone(Grid.Run run) throws IOException {
            if (!Files.exists(results.robustness(run))) {
                return false;
            }
            RobustnessResult result = RobustnessResult.read(results.robustness(run));
            return plan.cells().stream().allMatch(cell -> result.has(cell));
        }

        /** Evaluates runs with a result; false if it was cancelled before the end. */
        boolean run(List<Grid.Run> runs) throws IOException {
            List<Grid.Run> left = new ArrayList<>();
            for (Grid.Run run : runs) {
                if (Files.exists(results.result(run)) && !isDone(run)) {
                    left.add(run);
                }
            }
            while (!left.isEmpty()) {
                Grid.Run first = left.get(0);
                List<Grid.Run> together =
                        left.stream().filter(run -> belongs(run, first)).toList();
                if (!evaluate(together)) {
                    return false;
                }
                left.removeAll(together);
            }
            return true;
        }

        private static boolean belongs(Grid.Run run, Grid.Run first) {
            return run.cell().dataset().equals(first.cell().dataset())
                    && run.cell().split() == first.cell().split()
                    && run.cell().seed() == first.cell().seed()
                    && run.recipe().data().equals(first.recipe().data())
                    && FrozenHeads.share(run.recipe(), first.recipe());
        }

        /** Models with the same test images, backbone and views. */
        private boolean evaluate(List<Grid.Run> runs) throws IOException {
            ImageList all = images(runs.get(0));
            int[] chosen = plan.chosen(all.ids().size());
            ImageList images = all.some(chosen);
            images.keep(results, runs.get(0).cell());
            List<RobustnessResult> state = new ArrayList<>();
            for (Grid.Run run : runs) {
                state.add(started(run, images, chosen));
            }
            List<Path> files = files(runs.get(0).recipe(), images);
            List<Recipe> recipes = runs.stream().map(Grid.Run::recipe).toList();
            List<Path> models = runs.stream()
                    .map(run -> new RunFolder(results.training(run)).model())
                    .toList();
            List<Corruption> cells = plan.cells();
            try (FrozenHeads heads = FrozenHeads.load(recipes, models)) {
                for (int c = 0; c < cells.size(); c++) {
                    Corruption cell = cells.get(c);
                    if (state.stream().allMatch(one -> one.has(cell))) {
                        continue;
                    }
                    if (options.stop().getAsBoolean()) {
                        return false;
                    }
                    options.log()
                            .accept("corruption " + (c + 1) + " of " + cells.size() + " on "
                                    + runs.get(0).cell().dataset() + ": " + cell.key() + ", " + files.size()
                                    + " images");
                    int[][] predicted = heads.predict(files, cell, unused -> {});
                    for (int i = 0; i < runs.size(); i++) {
                        if (!state.get(i).has(cell)) {
                            String correct = RobustnessResult.correct(images.truths(), predicted[i]);
                            state.set(i, state.get(i).with(cell, correct));
                            state.get(i).write(results.robustness(runs.get(i)));
                        }
                    }
                }
            }
            if (!options.keepRuns()) {
                for (Grid.Run run : runs) {
                    results.clean(run);
                }
            }
            return true;
        }

        /** The test images of a run, as its result lists them. */
        private ImageList images(Grid.Run run) throws IOException {
            String sum = RunResult.read(results.result(run)).answers().images();
            return ImageList.find(results.path().resolve(run.cell().dataset()), sum)
                    .orElseThrow(() -> new IllegalArgumentException("the list of test images of " + run.place()
                            + " is missing; delete its result and run it again"));
        }

        /** What was evaluated before, or clean images only. */
        private RobustnessResult started(Grid.Run run, ImageList images, int[] chosen) throws IOException {
            Path file = results.robustness(run);
            if (Files.exists(file)) {
                RobustnessResult before = RobustnessResult.read(file);
                if (before.images().equals(images.sha256())) {
                    return before;
                }
                throw new IllegalArgumentException(
                        file + " is a result on other images; delete it, or choose another --out");
            }
            List<Integer> predicted =
                    RunResult.read(results.result(run)).answers().predicted();
            int[] some = Arrays.stream(chosen).map(predicted::get).toArray();
            return new RobustnessResult(
                    run.cell(),
                    images.sha256(),
                    run.recipe().views().copiedCorruptions(),
                    RobustnessResult.correct(images.truths(), some),
                    List.of());
        }

        private static List<Path> files(Recipe recipe, ImageList images) {
            Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
            Map<String, Path> files = new HashMap<>();
            dataset.samples(Split.TEST).forEach(sample -> files.put(sample.path(), dataset.file(sample)));
            return images.ids().stream()
                    .map(id -> Objects.requireNonNull(files.get(id), "the test images differ from those of the run"))
                    .toList();
        }
    }
}
