package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Methods × datasets × splits × seeds. A method's recipe is the default recipe, then what the grid has in common, then its
 * dataset's part, then its own part: later ones win.
 *
 * @param name of the grid, for results
 * @param title for people
 * @param common part of a recipe for all runs
 * @param datasets by name, in the order in which they run
 * @param methods by name, in the order in which they run
 * @param robustness corrupted test images to evaluate all models on; null for none
 */
public record Grid(
        String name,
        String title,
        JsonNode common,
        Map<String, OnDataset> datasets,
        Map<String, Method> methods,
        @Nullable RobustnessPlan robustness) {

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final int MAX_RUNS = 100_000;

    /**
     * Images and how often they are divided.
     *
     * @param images a folder or manifest below the data folder
     * @param layout such as {@code dtd}; null to recognise it
     * @param splits numbers of the protocol's splits
     * @param seeds of everything random
     * @param recipe part of a recipe for this dataset
     */
    public record OnDataset(
            String images, @Nullable String layout, List<Integer> splits, List<Long> seeds, JsonNode recipe) {
        public OnDataset {
            if (images.isBlank() || Path.of(images).isAbsolute() || images.matches("(.*[/\\\\])?\\.\\.([/\\\\].*)?")) {
                throw new IllegalArgumentException(
                        "images must name a directory below the data directory but is '" + images + "'");
            }
            if (splits.isEmpty() || seeds.isEmpty() || splits.stream().anyMatch(split -> split < 1)) {
                throw new IllegalArgumentException(
                        "splits and seeds must have at least one number, splits from 1 on; write splits: [1]");
            }
            if (seeds.stream().anyMatch(seed -> seed < 0)) {
                throw new IllegalArgumentException("seeds must be 0 or more; write seeds: [1]");
            }
            splits = List.copyOf(splits);
            seeds = List.copyOf(seeds);
        }
    }

    /**
     * One row of the tables.
     *
     * @param label for people
     * @param recipe its part of a recipe
     * @param datasets names of those it runs on; null for all
     */
    public record Method(
            String label, JsonNode recipe, @Nullable List<String> datasets) {
        public Method {
            datasets = datasets == null ? null : List.copyOf(datasets);
        }

        boolean runsOn(String dataset) {
            return datasets == null || datasets.contains(dataset);
        }
    }

    public Grid {
        requireName("the grid", name);
        datasets.keySet().forEach(dataset -> requireName("a dataset", dataset));
        methods.keySet().forEach(method -> requireName("a method", method));
        if (datasets.isEmpty() || methods.isEmpty()) {
            throw new IllegalArgumentException("a grid needs at least one dataset and one method");
        }
        long runs = (long) methods.size()
                * datasets.values().stream()
                        .mapToLong(
                                one -> (long) one.splits().size() * one.seeds().size())
                        .sum();
        if (runs > MAX_RUNS) {
            throw new IllegalArgumentException(
                    "the grid has " + runs + " runs; divide it into several of at most " + MAX_RUNS);
        }
        for (Map.Entry<String, Method> method : methods.entrySet()) {
            List<String> wanted = method.getValue().datasets();
            if (wanted != null && !datasets.keySet().containsAll(wanted)) {
                throw new IllegalArgumentException("method '" + method.getKey() + "' names datasets " + wanted
                        + " but the grid has only " + datasets.keySet());
            }
        }
        datasets = Collections.unmodifiableMap(new LinkedHashMap<>(datasets));
        methods = Collections.unmodifiableMap(new LinkedHashMap<>(methods));
    }

    /** Names become folders and columns. */
    private static void requireName(String what, String name) {
        if (!name.matches(NAME)) {
            throw new IllegalArgumentException("the name of " + what + " is '" + name
                    + "'; it becomes a directory, so use letters, digits, dots, hyphens and underscores");
        }
    }

    /**
     * All runs that a selection leaves, methods innermost: a split of a dataset is complete before the next begins, so that
     * an unfinished grid can be compared, too.
     *
     * @param data the folder that holds the datasets
     * @param weights of the backbone
     * @param settings on top of all recipes, of the form {@code backbone.device=cuda}
     */
    public List<GridRun> runs(Path data, String weights, Selection selection, List<String> settings) {
        selection.check(this);
        List<GridRun> runs = new ArrayList<>();
        for (Map.Entry<String, OnDataset> dataset : datasets.entrySet()) {
            for (int split : dataset.getValue().splits()) {
                for (long seed : dataset.getValue().seeds()) {
                    for (Map.Entry<String, Method> method : methods.entrySet()) {
                        if (method.getValue().runsOn(dataset.getKey())
                                && selection.takes(method.getKey(), dataset.getKey(), split, seed)) {
                            Recipe recipe = recipe(method, dataset, split, seed, settings)
                                    .on(
                                            data.resolve(dataset.getValue().images())
                                                    .toString(),
                                            weights);
                            runs.add(new GridRun(
                                    name,
                                    dataset.getKey(),
                                    method.getKey(),
                                    method.getValue().label(),
                                    split,
                                    seed,
                                    recipe));
                        }
                    }
                }
            }
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("nothing of the grid is selected; loosen the selection");
        }
        return List.copyOf(runs);
    }

    private Recipe recipe(
            Map.Entry<String, Method> method,
            Map.Entry<String, OnDataset> dataset,
            int split,
            long seed,
            List<String> settings) {
        OnDataset images = dataset.getValue();
        List<String> last = new ArrayList<>(settings);
        last.addAll(List.of("data.split=" + split, "seed=" + seed)); // results are found by these
        if (images.layout() != null) {
            last.add("data.layout=" + images.layout());
        }
        try {
            return RecipeFile.merged(
                    List.of(common, images.recipe(), method.getValue().recipe()), last);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "method '" + method.getKey() + "' on '" + dataset.getKey() + "': " + e.getMessage(), e);
        }
    }
}
