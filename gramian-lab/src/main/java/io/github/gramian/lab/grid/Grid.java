package io.github.gramian.lab.grid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.internal.YamlKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
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
        @Nullable Robustness robustness) {

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

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
            if (splits.isEmpty() || seeds.isEmpty()) {
                throw new IllegalArgumentException("splits and seeds must have at least one number; write splits: [1]");
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
     * All runs, methods innermost: a split of a dataset is complete before the next begins, so that
     * an unfinished grid can be compared, too.
     *
     * @param data the folder that holds the datasets
     * @param weights of the backbone
     * @param settings on top of all recipes, of the form {@code backbone.device=cuda}
     */
    public List<Run> runs(Path data, String weights, List<String> settings) {
        List<Run> runs = new ArrayList<>();
        for (Map.Entry<String, OnDataset> dataset : datasets.entrySet()) {
            for (int split : dataset.getValue().splits()) {
                for (long seed : dataset.getValue().seeds()) {
                    for (Map.Entry<String, Method> method : methods.entrySet()) {
                        if (method.getValue().runsOn(dataset.getKey())) {
                            Recipe recipe = recipe(method, dataset, split, seed, settings)
                                    .on(
                                            data.resolve(dataset.getValue().images())
                                                    .toString(),
                                            weights);
                            String label = method.getValue().label();
                            runs.add(new Run(
                                    new RunResult.Cell(name, method.getKey(), label, dataset.getKey(), split, seed),
                                    recipe));
                        }
                    }
                }
            }
        }
        return runs;
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

    /** Reads a grid in YAML; unknown keys are errors that name the nearest one. */
    public static Grid read(Path file) throws IOException {
        JsonNode tree = RecipeFile.tree(file);
        try {
            return grid(tree);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static Grid grid(JsonNode tree) {
        YamlKeys.require(tree, "a grid", List.of("name", "title", "datasets", "common", "methods", "robustness"));
        Map<String, OnDataset> datasets = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry :
                YamlKeys.object(tree, "datasets", "a grid").properties()) {
            datasets.put(entry.getKey(), dataset(entry.getKey(), entry.getValue()));
        }
        Map<String, Method> methods = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry :
                YamlKeys.object(tree, "methods", "a grid").properties()) {
            methods.put(entry.getKey(), method(entry.getKey(), entry.getValue()));
        }
        String name = YamlKeys.string(tree, "name", "the grid");
        return new Grid(
                name,
                tree.path("title").asText(name),
                YamlKeys.part(tree, "common"),
                datasets,
                methods,
                tree.hasNonNull("robustness") ? robustness(tree.get("robustness")) : null);
    }

    private static Robustness robustness(JsonNode tree) {
        YamlKeys.require(tree, "robustness", List.of("corruptions", "severities", "images"));
        JsonNode images = tree.path("images");
        if (!images.isMissingNode() && !images.isInt()) {
            throw new IllegalArgumentException("robustness.images must be a whole number but is " + images);
        }
        return new Robustness(
                tree.hasNonNull("corruptions") ? names(tree.get("corruptions")) : List.of("standard"),
                numbers(tree, "severities").stream().map(Math::toIntExact).toList(),
                images.asInt(0));
    }

    private static OnDataset dataset(String name, JsonNode tree) {
        String where = "dataset '" + name + "'";
        YamlKeys.require(tree, where, List.of("images", "layout", "splits", "seeds", "recipe"));
        try {
            return new OnDataset(
                    YamlKeys.string(tree, "images", where),
                    tree.hasNonNull("layout") ? tree.get("layout").asText() : null,
                    numbers(tree, "splits").stream().map(Math::toIntExact).toList(),
                    numbers(tree, "seeds"),
                    YamlKeys.part(tree, "recipe"));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
    }

    private static Method method(String name, JsonNode tree) {
        String where = "method '" + name + "'";
        YamlKeys.require(tree, where, List.of("label", "recipe", "datasets"));
        return new Method(
                tree.path("label").asText(name),
                YamlKeys.part(tree, "recipe"),
                tree.hasNonNull("datasets") ? names(tree.get("datasets")) : null);
    }

    /** Names; a single one counts as a list of one. */
    private static List<String> names(JsonNode given) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : given.isArray() ? given : List.of(given)) {
            if (!name.isValueNode()) {
                throw new IllegalArgumentException("names such as [dtd] are needed instead of " + name);
            }
            names.add(name.asText());
        }
        return names;
    }

    /** Numbers; a single one counts as a list of one, none at all as 1. */
    private static List<Long> numbers(JsonNode tree, String key) {
        JsonNode given = tree.path(key);
        Set<Long> numbers = new LinkedHashSet<>();
        if (given.isMissingNode() || given.isNull()) {
            return List.of(1L);
        }
        for (JsonNode number : given.isArray() ? given : List.of(given)) {
            if (!number.canConvertToExactIntegral() || !number.canConvertToLong()) {
                throw new IllegalArgumentException(key + " must be whole numbers such as [1, 2, 3] but has " + number);
            }
            if (!numbers.add(number.asLong())) {
                throw new IllegalArgumentException(key + " has " + number + " twice");
            }
        }
        return List.copyOf(numbers);
    }

    /**
     * The corrupted test images on which a grid evaluates all of its models.
     *
     * @param corruptions names of corruptions; {@code standard} and {@code all} stand for several
     * @param severities from 1 to 5
     * @param images number of test images, evenly spaced in the list sorted by path; 0 for all
     */
    public record Robustness(List<String> corruptions, List<Integer> severities, int images) {

        public Robustness {
            corruptions = List.copyOf(corruptions);
            severities = List.copyOf(severities);
            if (severities.isEmpty()) {
                throw new IllegalArgumentException("robustness.severities is empty; write severities: [1, 3, 5]");
            }
            CorruptionType.list(corruptions);
        }

        /** Every corruption at every severity. */
        List<Corruption> cells() {
            List<Corruption> cells = new ArrayList<>();
            for (CorruptionType type : CorruptionType.list(corruptions)) {
                severities.forEach(severity -> cells.add(new Corruption(type, severity)));
            }
            return cells;
        }

        /** Indices of the evaluated images among all of them. */
        int[] chosen(int all) {
            int count = images == 0 ? all : Math.min(images, all);
            return IntStream.range(0, count)
                    .map(i -> (int) ((long) i * all / count))
                    .toArray();
        }
    }

    /**
     * One training of a grid.
     *
     * @param cell its place in the grid
     * @param recipe complete
     */
    public record Run(RunResult.Cell cell, Recipe recipe) {

        /** Suffix of the name of a grid. */
        public static final String REHEARSAL = "-rehearsal";

        /** Maximum of integers of these names, anywhere in a recipe. */
        private static final Map<String, Integer> MAX = Map.ofEntries(
                Map.entry("size", 32),
                Map.entry("convolution", 16),
                Map.entry("outputDim", 8),
                Map.entry("components", 2),
                Map.entry("centres", 2),
                Map.entry("codewords", 2),
                Map.entry("dimension", 64),
                Map.entry("epochs", 1),
                Map.entry("batch", 4));

        /** Where it stands among the results, without an ending: {@code dtd/kernel/s1-r1}. */
        public String place() {
            return cell.place();
        }

        /** The recipe without folders of this machine. */
        Recipe portableRecipe() {
            return recipe.on(
                    lastName(recipe.data().images()), lastName(recipe.backbone().weights()));
        }

        private static String lastName(String path) {
            Path name = Path.of(path).getFileName();
            return name == null ? "" : name.toString();
        }

        /**
         * A short run through every step, with the same data, layers, stages and views, but small images and matrices, one epoch a
         * stage, and a second stage that trains no more of the backbone than the tapped layers. It finds missing files and settings
         * before days of computing; its scores mean nothing, so its grid has another name.
         */
        public Run rehearsal() {
            RunResult.Cell same = new RunResult.Cell(
                    cell.grid() + REHEARSAL, cell.method(), cell.label(), cell.dataset(), cell.split(), cell.seed());
            return new Run(same, shortened(recipe));
        }

        private static Recipe shortened(Recipe whole) {
            JsonNode tree = ConfigJson.toTree(whole);
            cut(tree);
            String tap = whole.network().branches().get(0).tap();
            if (whole.stage2().trainFrom() != null && !tap.equals(BranchConfig.LAST)) {
                ((ObjectNode) tree.path("stage2")).put("trainFrom", tap);
            }
            return ConfigJson.fromTree(tree, Recipe.class);
        }

        private static void cut(JsonNode tree) {
            if (tree instanceof ObjectNode object) {
                for (Map.Entry<String, JsonNode> field : List.copyOf(object.properties())) {
                    Integer most = MAX.get(field.getKey());
                    if (most != null
                            && field.getValue().isIntegralNumber()) { // rates and starts may have the same names
                        object.put(
                                field.getKey(), Math.min(most, field.getValue().asInt()));
                    }
                }
            }
            tree.forEach(Run::cut);
        }
    }
}
