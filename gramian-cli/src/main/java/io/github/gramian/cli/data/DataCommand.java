package io.github.gramian.cli.data;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.label.DataCheckCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code gramian data …}: datasets and demo images. */
@Command(
        name = "data",
        description = "Inspects and checks datasets, and draws a small one to try.",
        mixinStandardHelpOptions = true,
        subcommands = {DataInspectCommand.class, DataCheckCommand.class, DataDemoCommand.class})
public final class DataCommand extends PrintingCommand {

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(
                spec().commandLine(), "missing subcommand; available: inspect, check, demo");
    }
}
