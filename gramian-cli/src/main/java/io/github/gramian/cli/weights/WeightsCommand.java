package io.github.gramian.cli.weights;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

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
public final class WeightsCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "say what to do with the weights: import, show, pull or random");
    }
}
