package io.github.gramian.cli.train;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code gramian resume}: continues a run that was stopped or killed. */
@Command(
        name = "resume",
        description = {
            "Continues a training that was stopped or killed.",
            "It ends with the same weights as an uninterrupted one."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Example:", "  gramian resume runs/first"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ResumeCommand extends PrintingCommand {

    @Parameters(paramLabel = "RUN", description = "Run directory.")
    private Path run;

    @Mixin
    private TrainingRunOptions session;

    @Override
    public Integer call() throws IOException {
        Path recipe = new RunFolder(run).recipe();
        if (!Files.exists(recipe)) {
            throw new IllegalArgumentException(
                    run + " is not a run: it has no recipe.yaml; start one with: gramian train --out " + run);
        }
        return session.run(RecipeFile.readStored(recipe), run, spec());
    }
}
