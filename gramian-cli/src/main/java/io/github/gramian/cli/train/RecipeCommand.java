package io.github.gramian.cli.train;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian recipe …}: all settings of a training, and checks of them. */
@Command(
        name = "recipe",
        description = "Shows and checks recipes.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class RecipeCommand extends PrintingCommand {

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(spec().commandLine(), "missing subcommand; available: show, check");
    }

    @Command(
            name = "show",
            description = "Prints a recipe with all settings, including defaults.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Examples:",
                "  gramian recipe show > recipe.yaml",
                "  gramian recipe show recipe.yaml --set stage1.epochs=20"
            })
    int show(
            @Parameters(
                            arity = "0..1",
                            paramLabel = "FILE",
                            description = "Recipe in YAML (default: the default recipe).")
                    @Nullable
                    Path file,
            @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Setting to override.") @Nullable
                    List<String> settings)
            throws IOException {
        List<String> onTop = settings == null ? new ArrayList<>() : settings;
        Recipe recipe = file == null ? RecipeFile.parse("", onTop) : RecipeFile.read(file, onTop);
        PrintWriter out = stdout();
        out.print(RecipeFile.text(recipe));
        out.flush();
        return 0;
    }

    @Command(
            name = "check",
            description = "Checks a recipe and prints its errors.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  gramian recipe check recipe.yaml"})
    int check(@Parameters(paramLabel = "FILE", description = "Recipe in YAML.") Path file) throws IOException {
        RecipeFile.read(file);
        PrintWriter out = stdout();
        out.println(file + ": fine");
        out.flush();
        return 0;
    }
}
