package io.github.gramian.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry of the command line. */
@Command(
        name = "gramian",
        description = "Kernel SPD representations of images: train, measure, predict.",
        mixinStandardHelpOptions = true,
        subcommands = {WeightsCommand.class},
        version = "0.1.0-SNAPSHOT")
public final class Gramian {

    private Gramian() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Gramian()).execute(arguments));
    }
}
