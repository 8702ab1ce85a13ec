package io.github.gramian.bench;

import io.github.gramian.cli.Subcommand;
import picocli.CommandLine.Command;

/** Measurements on this machine. */
@Command(
        name = "bench",
        description = "Measures speed and quality on this machine.",
        mixinStandardHelpOptions = true,
        subcommands = {
            BenchHeadCommand.class,
            BenchPeersCommand.class,
            BenchBackboneCommand.class,
            BenchPhotosCommand.class,
            BenchTrainingCommand.class,
            BenchParallelCommand.class,
            BenchScaleCommand.class,
            BenchRidgeCommand.class,
            BenchInferenceCommand.class,
            BenchServerCommand.class,
            BenchLabelsCommand.class,
            BenchGroupsCommand.class,
            BenchAnnotateCommand.class,
            BenchWhereCommand.class,
            BenchUnknownCommand.class,
            BenchSetsCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand implements Subcommand {}
