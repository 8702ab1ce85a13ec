package io.github.gramian.cli.data;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code gramian data …}: datasets and demo images. */
@Command(
        name = "data",
        description = "Inspects datasets and draws a small one to try.",
        mixinStandardHelpOptions = true,
        subcommands = {DataInspectCommand.class, DataDemoCommand.class})
public final class DataCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do with the data: inspect or demo");
    }
}
