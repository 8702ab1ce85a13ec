package io.github.gramian.lab.grid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.Recipe;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One training of a grid.
 *
 * @param grid its name
 * @param dataset name within the grid
 * @param method name within the grid
 * @param label of the method for people
 * @param split of the dataset's protocol
 * @param seed of everything random
 * @param recipe complete
 */
public record GridRun(String grid, String dataset, String method, String label, int split, long seed, Recipe recipe) {

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
        return cell().place();
    }

    /** Which run it is, without how it is done. */
    RunResult.Cell cell() {
        return new RunResult.Cell(grid, method, label, dataset, split, seed);
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
    public GridRun rehearsal() {
        return new GridRun(grid + REHEARSAL, dataset, method, label, split, seed, shortened(recipe));
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
                if (most != null && field.getValue().isIntegralNumber()) { // rates and starts may have the same names
                    object.put(field.getKey(), Math.min(most, field.getValue().asInt()));
                }
            }
        }
        tree.forEach(GridRun::cut);
    }
}
