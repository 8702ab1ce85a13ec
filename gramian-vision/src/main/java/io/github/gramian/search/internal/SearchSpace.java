package io.github.gramian.search.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.internal.PackagedText;
import io.github.gramian.recipe.internal.YamlKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a search tries: inputs × heads. A candidate's network has a branch for each branch of its input and each of its head:
 * the input defines tap and size, the head everything else. Its recipe is the default recipe, then what the space has in
 * common, then the input's part, then the head's: later ones win.
 *
 * @param name of the space
 * @param title for people
 * @param common part of a recipe for all candidates
 * @param inputs by name, the cheapest first
 * @param heads by name, the cheapest first
 */
public record SearchSpace(
        String name, String title, JsonNode common, Map<String, Part> inputs, Map<String, Part> heads) {

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final int MAX_CANDIDATES = 1000;
    private static final int MAX_BRANCHES = 64;

    /**
     * One input or one head.
     *
     * @param label for people
     * @param branches at least one: keys of {@code network.branches}
     * @param recipe the rest of its part of a recipe
     */
    public record Part(String label, List<ObjectNode> branches, JsonNode recipe) {
        public Part {
            branches = List.copyOf(branches);
        }
    }

    public SearchSpace {
        inputs.keySet().forEach(SearchSpace::requireName);
        heads.keySet().forEach(SearchSpace::requireName);
        if (inputs.isEmpty() || heads.isEmpty()) {
            throw new IllegalArgumentException("a search space needs at least one input and one head");
        }
        if ((long) inputs.size() * heads.size() > MAX_CANDIDATES) {
            throw new IllegalArgumentException("the space has " + (long) inputs.size() * heads.size()
                    + " candidates; a search takes at most " + MAX_CANDIDATES);
        }
        inputs = Collections.unmodifiableMap(new LinkedHashMap<>(inputs));
        heads = Collections.unmodifiableMap(new LinkedHashMap<>(heads));
    }

    private static void requireName(String name) {
        if (!name.matches(NAME)) {
            throw new IllegalArgumentException(
                    "names of inputs and heads are letters, digits, '.', '_' and '-', not '" + name + "'");
        }
    }

    /**
     * All candidates: input by input, each with every head.
     *
     * @param settings of the form {@code key=value}, on top of every recipe
     */
    public List<Candidate> candidates(List<String> settings) {
        List<Candidate> candidates = new ArrayList<>();
        inputs.forEach((input, seen) -> heads.forEach((head, made) -> {
            try {
                candidates.add(
                        new Candidate(input, head, made.label() + ", " + seen.label(), recipe(seen, made, settings)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(head + "@" + input + ": " + e.getMessage(), e);
            }
        }));
        return candidates;
    }

    private Recipe recipe(Part input, Part head, List<String> settings) {
        long count = (long) input.branches().size() * head.branches().size();
        if (count > MAX_BRANCHES) {
            throw new IllegalArgumentException(
                    "it has " + count + " branches; a search takes at most " + MAX_BRANCHES + " in a candidate");
        }
        ArrayNode branches = JsonNodeFactory.instance.arrayNode();
        for (ObjectNode made : head.branches()) {
            for (ObjectNode seen : input.branches()) {
                ObjectNode branch = made.deepCopy();
                seen.properties().forEach(key -> {
                    if (branch.has(key.getKey())) {
                        throw new IllegalArgumentException(
                                "both the input and the head give '" + key.getKey() + "'; keep one of them");
                    }
                    branch.set(key.getKey(), key.getValue());
                });
                branches.add(branch);
            }
        }
        ObjectNode network = JsonNodeFactory.instance.objectNode();
        network.putObject("network").set("branches", branches);
        Recipe recipe = RecipeFile.merged(List.of(common, input.recipe(), head.recipe(), network), settings);
        if (recipe.stage1().runs() || recipe.stage2().runs()) {
            throw new IllegalArgumentException("a search scores the classifier in closed form; set stage1.epochs and"
                    + " stage2.epochs to 0, and train what it finds with: gramian train recipe.yaml");
        }
        return recipe;
    }

    /** Reads a space as YAML; unknown keys are errors that name the nearest one. */
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
        return PackagedText.nextTo(SearchSpace.class, "robust.yaml");
    }

    static SearchSpace parse(String yaml) {
        return space(RecipeFile.treeOrNothing(yaml));
    }

    static String standardText() {
        return PackagedText.nextTo(SearchSpace.class, "standard.yaml");
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

    private static Map<String, Part> parts(JsonNode tree, String key, String one) {
        Map<String, Part> parts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry :
                YamlKeys.object(tree, key, "a search space").properties()) {
            parts.put(entry.getKey(), part(one + " '" + entry.getKey() + "'", entry.getKey(), entry.getValue()));
        }
        return parts;
    }

    private static Part part(String where, String name, JsonNode tree) {
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
        return new Part(tree.path("label").asText(name), branches, recipe);
    }
}
