package io.github.gramian.bench;

import io.github.gramian.cli.Subcommand;
import picocli.CommandLine.Command;

/** Measurements on this machine. */
@Command(
        name = "bench",
        description = "Measures speed on this machine.",
        mixinStandardHelpOptions = true,
        subcommands = {
            BenchHeadCommand.class,
            BenchBackboneCommand.class,
            BenchPhotosCommand.class,
            BenchTrainingCommand.class,
            BenchInferenceCommand.class,
            BenchServerCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand implements Subcommand {}
