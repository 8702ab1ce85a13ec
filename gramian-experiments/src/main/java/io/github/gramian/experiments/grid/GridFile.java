package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.internal.YamlKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Grids as YAML; unknown keys are errors that name the nearest one. */
public final class GridFile {

    private GridFile() {}

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
        Map<String, Grid.OnDataset> datasets = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry :
                YamlKeys.object(tree, "datasets", "a grid").properties()) {
            datasets.put(entry.getKey(), dataset(entry.getKey(), entry.getValue()));
        }
        Map<String, Grid.Method> methods = new LinkedHashMap<>();
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

    private static RobustnessPlan robustness(JsonNode tree) {
        YamlKeys.require(tree, "robustness", List.of("corruptions", "severities", "images"));
        JsonNode names = tree.path("corruptions");
        List<String> corruptions = new ArrayList<>();
        for (JsonNode name : names.isArray() ? names : List.of(names)) {
            corruptions.add(names.isMissingNode() ? "standard" : name.asText());
        }
        JsonNode images = tree.path("images");
        if (!images.isMissingNode() && !images.isInt()) {
            throw new IllegalArgumentException("robustness.images must be a whole number but is " + images);
        }
        return new RobustnessPlan(
                corruptions,
                numbers(tree, "severities").stream().map(Math::toIntExact).toList(),
                images.asInt(0));
    }

    private static Grid.OnDataset dataset(String name, JsonNode tree) {
        String where = "dataset '" + name + "'";
        YamlKeys.require(tree, where, List.of("images", "layout", "splits", "seeds", "recipe"));
        try {
            return new Grid.OnDataset(
                    YamlKeys.string(tree, "images", where),
                    tree.hasNonNull("layout") ? tree.get("layout").asText() : null,
                    numbers(tree, "splits").stream().map(Math::toIntExact).toList(),
                    numbers(tree, "seeds"),
                    YamlKeys.part(tree, "recipe"));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
    }

    private static Grid.Method method(String name, JsonNode tree) {
        String where = "method '" + name + "'";
        YamlKeys.require(tree, where, List.of("label", "recipe", "datasets"));
        return new Grid.Method(
                tree.path("label").asText(name), YamlKeys.part(tree, "recipe"), datasets(tree.path("datasets"), where));
    }

    /** Names of datasets; a single one counts as a list of one, and null stands for all. */
    private static @Nullable List<String> datasets(JsonNode given, String where) {
        if (given.isMissingNode() || given.isNull()) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (JsonNode name : given.isArray() ? given : List.of(given)) {
            if (!name.isValueNode()) {
                throw new IllegalArgumentException(where + ": datasets must be names such as [dtd] but has " + name);
            }
            names.add(name.asText());
        }
        if (names.isEmpty()) {
            throw new IllegalArgumentException(
                    where + " runs on no dataset; name some, or leave 'datasets' out for all");
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
}
