package io.github.gramian.lab.grid;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.FrozenHeads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Evaluates the models of a grid on corrupted test images: one corruption at one severity after another, the backbone once per
 * image for all models of a split. Results are written after each, so a stopped evaluation continues there.
 */
final class RobustnessExperiment {

    private final Grid.Robustness plan;
    private final Experiment.Options options;
    private final ResultFolder results;

    RobustnessExperiment(Grid.Robustness plan, Experiment.Options options) {
        this.plan = plan;
        this.options = options;
        this.results = options.results();
    }

    /** Refuses a method whose backbone is trained, since such a model shares no features with the others. */
    static void requireFrozen(List<GridRun> runs) {
        for (GridRun run : runs) {
            if (run.recipe().stage2().runs()) {
                throw new IllegalArgumentException(
                        "the grid has a robustness section, which needs frozen backbones, but" + " method '"
                                + run.method() + "' trains its backbone; set stage2.epochs to 0");
            }
        }
    }

    /** Whether all corrupted images of a run were evaluated. */
    boolean isDone(GridRun run) throws IOException {
        if (!Files.exists(results.robustness(run))) {
            return false;
        }
        RobustnessResult result = RobustnessResult.read(results.robustness(run));
        return plan.cells().stream().allMatch(cell -> result.has(cell.type().key(), cell.severity()));
    }

    /** Evaluates runs with a result; false if it was cancelled before the end. */
    boolean run(List<GridRun> runs) throws IOException {
        List<GridRun> left = new ArrayList<>();
        for (GridRun run : runs) {
            if (Files.exists(results.result(run)) && !isDone(run)) {
                left.add(run);
            }
        }
        while (!left.isEmpty()) {
            GridRun first = left.get(0);
            List<GridRun> together =
                    left.stream().filter(run -> belongs(run, first)).toList();
            if (!evaluate(together)) {
                return false;
            }
            left.removeAll(together);
        }
        return true;
    }

    private static boolean belongs(GridRun run, GridRun first) {
        return run.dataset().equals(first.dataset())
                && run.split() == first.split()
                && run.seed() == first.seed()
                && run.recipe().data().equals(first.recipe().data())
                && FrozenHeads.share(run.recipe(), first.recipe());
    }

    /** Models with the same test images, backbone and views. */
    private boolean evaluate(List<GridRun> runs) throws IOException {
        ImageList all = images(runs.get(0));
        int[] chosen = plan.chosen(all.ids().size());
        ImageList images = all.some(chosen);
        images.keep(
                results.path().resolve(runs.get(0).dataset()),
                runs.get(0).split(),
                runs.get(0).seed());
        List<RobustnessResult> state = new ArrayList<>();
        for (GridRun run : runs) {
            state.add(started(run, images, chosen));
        }
        List<Path> files = files(runs.get(0).recipe(), images);
        List<Recipe> recipes = runs.stream().map(GridRun::recipe).toList();
        List<Path> models = runs.stream()
                .map(run -> new RunFolder(results.training(run)).model())
                .toList();
        List<Corruption> cells = plan.cells();
        try (FrozenHeads heads = FrozenHeads.load(recipes, models)) {
            for (int c = 0; c < cells.size(); c++) {
                Corruption cell = cells.get(c);
                if (state.stream().allMatch(one -> one.has(cell.type().key(), cell.severity()))) {
                    continue;
                }
                if (options.stop().getAsBoolean()) {
                    return false;
                }
                options.log()
                        .accept("corruption " + (c + 1) + " of " + cells.size() + " on "
                                + runs.get(0).dataset() + ": " + cell.key() + ", " + files.size() + " images");
                int[][] predicted = heads.predict(files, cell, unused -> {});
                for (int i = 0; i < runs.size(); i++) {
                    if (!state.get(i).has(cell.type().key(), cell.severity())) {
                        String correct = RobustnessResult.correct(images.truths(), predicted[i]);
                        state.set(
                                i,
                                state.get(i)
                                        .with(new RobustnessResult.Corrupted(
                                                cell.type().key(), cell.severity(), correct)));
                        state.get(i).write(results.robustness(runs.get(i)));
                    }
                }
            }
        }
        if (!options.keepRuns()) {
            for (GridRun run : runs) {
                results.clean(run);
            }
        }
        return true;
    }

    /** The test images of a run, as its result lists them. */
    private ImageList images(GridRun run) throws IOException {
        String sum = RunResult.read(results.result(run)).answers().images();
        return ImageList.find(results.path().resolve(run.dataset()), sum)
                .orElseThrow(() -> new IllegalArgumentException("the list of test images of " + run.place()
                        + " is missing; delete its result and run it again"));
    }

    /** What was evaluated before, or clean images only. */
    private RobustnessResult started(GridRun run, ImageList images, int[] chosen) throws IOException {
        Path file = results.robustness(run);
        if (Files.exists(file)) {
            RobustnessResult before = RobustnessResult.read(file);
            if (before.images().equals(images.sha256())) {
                return before;
            }
            throw new IllegalArgumentException(
                    file + " is a result on other images; delete it, or choose another --out");
        }
        List<Integer> predicted = RunResult.read(results.result(run)).answers().predicted();
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
        Map<String, Sample> samples = dataset.samples(Split.TEST).stream()
                .collect(Collectors.toMap(Sample::path, Function.identity(), (a, b) -> a, TreeMap::new));
        return IntStream.range(0, images.ids().size())
                .mapToObj(i -> dataset.file(Objects.requireNonNull(
                        samples.get(images.ids().get(i)), "the test images differ from those of the run")))
                .toList();
    }
}
