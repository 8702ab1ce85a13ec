package io.github.gramian.cli;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.cli.common.InstalledEngine;
import io.github.gramian.cli.common.ParentWatch;
import io.github.gramian.cli.data.DataCommand;
import io.github.gramian.cli.data.FeaturesCommand;
import io.github.gramian.cli.doctor.DoctorCommand;
import io.github.gramian.cli.draw.DrawCommand;
import io.github.gramian.cli.model.CompareCommand;
import io.github.gramian.cli.model.DescribeCommand;
import io.github.gramian.cli.model.DriftCommand;
import io.github.gramian.cli.model.EvaluateCommand;
import io.github.gramian.cli.model.MapCommand;
import io.github.gramian.cli.model.ModelCommand;
import io.github.gramian.cli.model.PredictCommand;
import io.github.gramian.cli.report.ReportCommand;
import io.github.gramian.cli.search.SearchCommand;
import io.github.gramian.cli.train.RecipeCommand;
import io.github.gramian.cli.train.ResumeCommand;
import io.github.gramian.cli.train.TrainCommand;
import io.github.gramian.cli.weights.WeightsCommand;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.io.internal.StandardOutput;
import io.github.gramian.io.internal.StandardOutput.LostOutputException;
import io.github.gramian.io.internal.TerminalWriter;
import io.github.gramian.io.internal.Text;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code gramian}: finds the subcommand, runs it, and ends the process with its exit code. */
@Command(
        name = "gramian",
        description = "Kernel SPD representations of images: train, evaluate, predict.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Typical use:",
            "  gramian doctor",
            "  gramian weights import resnet50.pth --as resnet50 --out resnet50.safetensors",
            "  gramian train --images photos/ --backbone resnet50.safetensors --out runs/first",
            "  gramian predict runs/first new-photos/",
            "",
            "Each command has examples:  gramian train --help"
        })
public final class Gramian {

    /** Name of the JVM's property for the form of a line of the log. */
    public static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

    /** Form of a line of the log, unless the user has set another. */
    public static final String LOG_LINE = "gramian: %5$s%n";

    private static final List<Class<?>> COMMANDS = List.of(
            DoctorCommand.class,
            DataCommand.class,
            WeightsCommand.class,
            FeaturesCommand.class,
            SearchCommand.class,
            TrainCommand.class,
            ResumeCommand.class,
            EvaluateCommand.class,
            PredictCommand.class,
            MapCommand.class,
            DriftCommand.class,
            DescribeCommand.class,
            CompareCommand.class,
            ReportCommand.class,
            DrawCommand.class,
            RecipeCommand.class,
            ModelCommand.class,
            CompletionCommand.class,
            ReferenceCommand.class);

    /** Those that are about all of them. */
    private static final Set<Class<?>> ABOUT_ALL = Set.of(CompletionCommand.class, ReferenceCommand.class);

    private static final Pattern COMPONENT = Pattern.compile("([a-z][A-Za-z]*)( must .*)", Pattern.DOTALL);

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show where an error comes from, for a bug report.")
    private boolean debug;

    private Gramian() {}

    public static void main(String[] arguments) {
        // A warning of the library is a line like any other.
        System.getProperties().putIfAbsent(LOG_FORMAT, LOG_LINE);
        ParentWatch.begin(System.in);
        StandardOutput out = new StandardOutput();
        CommandLine line = understood(out, arguments);
        int code = line.execute(arguments);
        Optional<LostOutputException> lost = out.end();
        System.exit(code == 0 && lost.isPresent() ? report(Failure.of(lost.get()), line.getErr()) : code);
    }

    /** Errors of the JVM itself may already occur here. */
    private static CommandLine understood(StandardOutput out, String... arguments) {
        try {
            return forTerminal(commandLine(arguments), out);
        } catch (Error failure) {
            System.exit(report(Failure.of(failure), new PrintWriter(System.err, true, Charset.defaultCharset())));
            throw failure;
        }
    }

    /** Commands escape untrusted text; help, which is trusted, keeps its colours. */
    private static CommandLine forTerminal(CommandLine line, StandardOutput out) {
        PrintWriter err = line.getErr();
        IExecutionStrategy run = line.getExecutionStrategy();
        return line.setOut(out.writer())
                .setErr(new TerminalWriter(err, Charset.defaultCharset()))
                .setExecutionStrategy(parsed -> {
                    boolean help = parsed.asCommandLineList().stream()
                            .anyMatch(one -> one.isUsageHelpRequested() || one.isVersionHelpRequested());
                    line.setOut(help ? out.raw() : out.writer());
                    return run.execute(parsed);
                })
                .setParameterExceptionHandler((wrong, words) -> {
                    CommandLine command = wrong.getCommandLine();
                    command.getErr().print(Text.message(String.valueOf(wrong.getMessage())) + System.lineSeparator());
                    command.getErr().flush();
                    if (!UnmatchedArgumentException.printSuggestions(wrong, err)) {
                        command.usage(err);
                    }
                    return command.getCommandSpec().exitCodeOnInvalidInput();
                });
    }

    /**
     * The command line for these words: with the one command that the first of them names, or with all. To read the
     * options of all commands takes longer than most of what they do.
     */
    static CommandLine commandLine(String... words) {
        List<Class<?>> own = named(COMMANDS, words);
        if (!own.isEmpty()) {
            return commandLine(own);
        }
        List<Class<?>> all = new ArrayList<>(COMMANDS);
        all.addAll(COMMANDS.indexOf(CompletionCommand.class), found());
        List<Class<?>> one = named(all, words);
        return commandLine(one.isEmpty() ? all : one);
    }

    private static List<Class<?>> named(List<Class<?>> commands, String... words) {
        return commands.stream()
                .filter(command -> words.length > 0 && name(command).equals(words[0]))
                .filter(command -> !ABOUT_ALL.contains(command))
                .toList();
    }

    /** Commands of other modules. */
    private static List<Class<?>> found() {
        return ServiceLoader.load(Subcommand.class).stream()
                .<Class<?>>map(ServiceLoader.Provider::type)
                .filter(command -> !command.isAnnotationPresent(Below.class))
                .toList();
    }

    /** A command, and those that further modules add below it. */
    private static CommandLine withOthersBelow(Class<?> command) {
        CommandLine line = new CommandLine(command);
        if (!COMMANDS.contains(command)) {
            ServiceLoader.load(Subcommand.class).stream()
                    .map(ServiceLoader.Provider::type)
                    .filter(other -> isBelow(other, name(command)))
                    .forEach(other -> line.addSubcommand(name(other), other));
        }
        return line;
    }

    private static boolean isBelow(Class<?> command, String parent) {
        Below below = command.getAnnotation(Below.class);
        return below != null && below.value().equals(parent);
    }

    private static String name(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    /** The command line as {@link #main} runs it: exit code 2 for an invalid setting, 1 for any other failure. */
    private static CommandLine commandLine(List<Class<?>> commands) {
        Gramian gramian = new Gramian();
        CommandLine line = new CommandLine(gramian);
        commands.forEach(command -> line.addSubcommand(name(command), inOrder(withOthersBelow(command))));
        withVersion(line);
        return line.registerConverter(Path.class, Gramian::path)
                .registerConverter(double.class, Gramian::decimal)
                .registerConverter(Double.class, Gramian::decimal)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(Gramian::run)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    Failure reported = asOption(Failure.of(failure), command.getParseResult());
                    int code = report(reported, command.getErr());
                    if (gramian.debug) {
                        failure.printStackTrace(command.getErr());
                        command.getErr().flush();
                    }
                    return code;
                });
    }

    /** With the commands below it by name: those that are methods come in whatever order the JVM has them. */
    private static CommandLine inOrder(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        new TreeMap<>(spec.subcommands()).forEach((name, below) -> {
            spec.removeSubcommand(name);
            spec.addSubcommand(name, below);
        });
        return command;
    }

    /** Every command prints the same version. */
    private static void withVersion(CommandLine line) {
        line.getCommandSpec().versionProvider(new VersionLines());
        line.getSubcommands().values().forEach(Gramian::withVersion);
    }

    /**
     * As picocli does, but what it would let through is handled like any failure: help that could not be printed, JVM
     * errors.
     */
    private static int run(ParseResult parsed) {
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (LostOutputException | Error failure) {
            throw new ExecutionException(parsed.commandSpec().commandLine(), "failed", failure);
        }
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException(Failure.of(e).line());
        }
    }

    private static double decimal(String text) {
        try {
            return Text.decimal(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** Records that check themselves name their component. If an option of that name was given, the user knows the option. */
    private static Failure asOption(Failure failure, ParseResult given) {
        Matcher component = COMPONENT.matcher(failure.line());
        if (!component.matches()) {
            return failure;
        }
        String option = "--" + component.group(1).replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        return given.hasMatchedOption(option) ? new Failure(option + component.group(2), failure.exitCode()) : failure;
    }

    private static int report(Failure failure, PrintWriter err) {
        if (!failure.line().isEmpty()) {
            err.println("gramian: " + failure.line());
            err.flush();
        }
        return failure.exitCode();
    }

    /** {@code gramian --version}: what a bug report needs, without starting an engine. */
    private static final class VersionLines implements IVersionProvider {

        @Override
        public String[] getVersion() {
            Stream<String> own = Stream.of(
                    "gramian " + GramianVersion.text() + " (commit " + GramianVersion.commit() + ")",
                    "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                            + System.getProperty("os.arch"));
            return Stream.concat(own, Arrays.stream(InstalledEngine.values()).map(InstalledEngine::line))
                    .toArray(String[]::new);
        }
    }
}
