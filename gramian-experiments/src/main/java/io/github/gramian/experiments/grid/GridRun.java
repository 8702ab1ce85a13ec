package io.github.gramian.experiments.grid;

import io.github.gramian.recipe.Recipe;
import java.nio.file.Path;

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
}
