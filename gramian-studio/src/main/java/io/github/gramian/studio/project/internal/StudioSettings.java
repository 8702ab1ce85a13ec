package io.github.gramian.studio.project.internal;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a studio reads and writes.
 *
 * @param photographs directory of the photographs
 * @param labels the labels file
 * @param by person whose labels these are
 * @param recipe settings of the recipe without the images, as {@code key=value}
 * @param cache directory for features and thumbnails
 * @param out directory for runs and predictions
 */
public record StudioSettings(Path photographs, Path labels, String by, List<String> recipe, Path cache, Path out) {

    public StudioSettings {
        photographs = photographs.toAbsolutePath().normalize();
        labels = labels.toAbsolutePath().normalize();
        out = out.toAbsolutePath().normalize();
        recipe = List.copyOf(recipe);
        Path base = labels.getParent();
        if (base == null || !photographs.startsWith(base)) {
            throw new IllegalArgumentException("--labels must name a file in the directory of the photographs or in a"
                    + " directory above it, since the paths in it must not lead elsewhere");
        }
        if (out.startsWith(photographs)) {
            throw new IllegalArgumentException(
                    "--out must not lie inside the directory of the photographs, because Gramian writes nothing there");
        }
    }

    /** The settings of a training on the labelled photographs, as {@code key=value}. */
    public List<String> overrides() {
        List<String> all =
                new ArrayList<>(List.of("data.images='" + labels.toString().replace("'", "''") + "'"));
        all.addAll(recipe);
        return all;
    }

    /** The recipe of a training on the labelled photographs. */
    public Recipe complete() {
        return RecipeFile.parse("", overrides());
    }
}
