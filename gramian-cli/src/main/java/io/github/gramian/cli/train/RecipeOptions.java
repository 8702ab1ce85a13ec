package io.github.gramian.cli.train;

import io.github.gramian.cli.common.TrustOption;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Images, a backbone, and settings that override a recipe. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class RecipeOptions {

    @Option(
            names = "--images",
            required = true,
            description = "Directory with one subdirectory per class, or a CSV manifest.")
    private String images;

    @Option(
            names = "--backbone",
            required = true,
            description = "Weights file from 'gramian weights import', or a TorchScript file.")
    private String backbone;

    @Mixin
    private TrustOption trust;

    @Option(
            names = "--dataset",
            description = "Layout of the dataset, such as dtd or folders. If missing, Gramian detects it.")
    private @Nullable String layout;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Setting of the recipe to override; 'gramian recipe show' lists the keys.")
    private List<String> settings = new ArrayList<>();

    /**
     * A recipe with these options.
     *
     * @param yaml differences from the standard recipe
     * @param more settings of other options of the command; {@code --set} overrides them
     */
    public Recipe recipe(String yaml, RecipeSettings more) {
        return RecipeFile.parse(yaml, settings(more));
    }

    /** These options as settings, after {@code more}; those of {@code --set} come last. */
    public List<String> settings(RecipeSettings more) {
        return more.with("data.images", images)
                .with("backbone.weights", backbone)
                .with("backbone.trustCode", trust.setting())
                .with("data.layout", layout)
                .then(settings);
    }
}
