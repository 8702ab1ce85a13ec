package io.github.gramian.search.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.internal.PackagedText;
import io.github.gramian.recipe.internal.YamlKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Search spaces as YAML; unknown keys are errors that name the nearest one. */
public final class SpaceFile {

    private SpaceFile() {}

    public static SearchSpace read(Path file) throws IOException {
        JsonNode tree = RecipeFile.tree(file);
        try {
            return space(tree);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** The space that ships; a copy for readers is in {@code grids/search}. */
    public static SearchSpace standard() {
        return parse(standardText());
    }

    /** The space for robust models that ships; a copy for readers is in {@code grids/search}. */
    public static SearchSpace robust() {
        return parse(robustText());
    }

    static String robustText() {
        return PackagedText.nextTo(SpaceFile.class, "robust.yaml");
    }

    static SearchSpace parse(String yaml) {
        return space(RecipeFile.treeOrNothing(yaml));
    }

    static String standardText() {
        return PackagedText.nextTo(SpaceFile.class, "standard.yaml");
    }

    private static SearchSpace space(JsonNode tree) {
        String where = "a search space";
        YamlKeys.require(tree, where, List.of("name", "title", "common", "inputs", "heads"));
        String name = YamlKeys.string(tree, "name", where);
        return new SearchSpace(
                name,
                tree.path("title").asText(name),
                YamlKeys.part(tree, "common"),
                parts(tree, "inputs", "input"),
                parts(tree, "heads", "head"));
    }

    private static Map<String, SearchSpace.Part> parts(JsonNode tree, String key, String one) {
        Map<String, SearchSpace.Part> parts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry :
                YamlKeys.object(tree, key, "a search space").properties()) {
            parts.put(entry.getKey(), part(one + " '" + entry.getKey() + "'", entry.getKey(), entry.getValue()));
        }
        return parts;
    }

    private static SearchSpace.Part part(String where, String name, JsonNode tree) {
        YamlKeys.require(tree, where, List.of("label", "branches", "recipe"));
        List<ObjectNode> branches = new ArrayList<>();
        for (JsonNode branch : tree.path("branches")) {
            if (!(branch instanceof ObjectNode keys)) {
                throw new IllegalArgumentException(where + ": a branch is keys and values, no " + branch);
            }
            branches.add(keys);
        }
        if (branches.isEmpty()) {
            throw new IllegalArgumentException(where + " needs branches, such as [{tap: last, size: 224}]");
        }
        JsonNode recipe = YamlKeys.part(tree, "recipe");
        if (recipe.path("network").has("branches")) {
            throw new IllegalArgumentException(where + " has network.branches in its recipe; write them as branches");
        }
        return new SearchSpace.Part(tree.path("label").asText(name), branches, recipe);
    }
}
