package io.github.gramian.cli.train;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that describe images like a training with the same recipe. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class RecipeFileOptions {

    @Mixin
    private RecipeOptions options;

    @Option(
            names = "--recipe",
            paramLabel = "FILE",
            description =
                    "Recipe, a YAML file (default: the standard recipe). --images, --backbone and --set override it.")
    private @Nullable Path recipe;

    /** The recipe with the other options. */
    public Recipe recipe() throws IOException {
        return recipe(new RecipeSettings());
    }

    /**
     * The recipe with the other options and more settings.
     *
     * @param more settings of other options of the command; {@code --set} overrides them
     */
    public Recipe recipe(RecipeSettings more) throws IOException {
        return recipe == null ? options.recipe("", more) : RecipeFile.read(recipe, options.settings(more));
    }
}
