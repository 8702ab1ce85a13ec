package io.github.gramian.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The entry of the command line. */
@Command(
        name = "gramian",
        description = "Kernel SPD representations of images: train, measure, predict.",
        mixinStandardHelpOptions = true,
        versionProvider = Gramian.Version.class,
        subcommands = {
            DoctorCommand.class,
            DataCommand.class,
            WeightsCommand.class,
            FeaturesCommand.class,
            TrainCommand.class,
            ResumeCommand.class,
            EvaluateCommand.class,
            PredictCommand.class,
            DescribeCommand.class,
            CompareCommand.class,
            ReportCommand.class,
            RecipeCommand.class,
            ModelCommand.class,
            BenchCommand.class,
            CompletionCommand.class
        },
        footer = {
            "",
            "The usual way:",
            "  gramian doctor",
            "  gramian weights import resnet50.pth --as resnet50 --out resnet50.safetensors",
            "  gramian train --images photos/ --backbone resnet50.safetensors --out runs/first",
            "  gramian predict runs/first new-photos/",
            "",
            "Each command has examples:  gramian train --help"
        })
public final class Gramian {

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show where an error comes from, for a bug report.")
    private boolean debug;

    private Gramian() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** The command line as {@link #main} runs it: 2 for a wrong setting, 1 for anything else that failed. */
    static CommandLine commandLine() {
        Gramian gramian = new Gramian();
        return new CommandLine(gramian)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    PrintWriter err = command.getErr();
                    Failure told = Failure.of(failure);
                    err.println("gramian: " + told.line());
                    if (gramian.debug) {
                        failure.printStackTrace(err);
                    }
                    err.flush();
                    return told.exitCode();
                });
    }

    /** Reads the version from the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Gramian.class.getPackage().getImplementationVersion();
            return new String[] {"gramian " + (version == null ? "(unpackaged)" : version)};
        }
    }
}
