package io.github.gramian.cli.weights;

import io.github.gramian.cli.common.PrintingCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code gramian weights …}: from published weights to files that backbones load. */
@Command(
        name = "weights",
        description = "Imports, describes and downloads weights of backbones.",
        mixinStandardHelpOptions = true,
        subcommands = {
            WeightsImportCommand.class,
            WeightsShowCommand.class,
            WeightsPullCommand.class,
            WeightsRandomCommand.class
        })
public final class WeightsCommand extends PrintingCommand {

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(
                spec().commandLine(), "missing subcommand; available: import, show, pull, random");
    }
}
