package io.github.gramian.cli;

import io.github.gramian.backbone.cache.CacheException;
import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.model.ModelException;
import io.github.gramian.tensor.safetensors.SafetensorsException;
import io.github.gramian.train.TrainingException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
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
            BenchCommand.class
        },
        footer = {"", "Start with:  gramian doctor"})
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
        return new CommandLine(gramian).setExecutionExceptionHandler((failure, command, parsed) -> {
            PrintWriter err = command.getErr();
            err.println("gramian: " + firstLine(failure));
            if (gramian.debug) {
                failure.printStackTrace(err);
            }
            return isWrongInput(failure) ? ExitCode.USAGE : ExitCode.SOFTWARE;
        });
    }

    private static boolean isWrongInput(Exception failure) {
        return failure instanceof IllegalArgumentException
                || failure instanceof DatasetException
                || failure instanceof WeightsException
                || failure instanceof SafetensorsException
                || failure instanceof CacheException
                || failure instanceof ModelException
                || failure instanceof TrainingException
                || failure instanceof NoSuchFileException;
    }

    /** Errors of the engine carry long traces of their own; their first line says what happened. */
    private static String firstLine(Exception failure) {
        String message = failure instanceof NoSuchFileException absent
                ? absent.getFile() + " does not exist; check the path"
                : failure.getMessage();
        return message == null
                ? failure.getClass().getSimpleName() + "; run again with --debug and report it"
                : message.lines().findFirst().orElse(message);
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
