package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.Recipe;
import java.util.List;
import java.util.Map;

/**
 * A rehearsal: a short run through every step, with the same data, layers, stages and views, but small images and matrices,
 * one epoch a stage, and a second stage that trains no more of the backbone than the tapped layers. It finds missing files
 * and settings before days of computing; its scores mean nothing, so its grid has another name.
 */
public final class Rehearsal {

    /** Suffix of the name of a grid. */
    public static final String SUFFIX = "-rehearsal";

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

    private Rehearsal() {}

    /** The same run, cut. */
    public static GridRun of(GridRun run) {
        return new GridRun(
                run.grid() + SUFFIX,
                run.dataset(),
                run.method(),
                run.label(),
                run.split(),
                run.seed(),
                recipe(run.recipe()));
    }

    private static Recipe recipe(Recipe whole) {
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
                if (most != null && field.getValue().isIntegralNumber()) { // rates and starts may have the same names
                    object.put(field.getKey(), Math.min(most, field.getValue().asInt()));
                }
            }
        }
        tree.forEach(Rehearsal::cut);
    }
}
