package io.github.gramian.spark;

import io.github.gramian.GramianException;
import io.github.gramian.io.internal.LostOutputException;
import io.github.gramian.io.internal.StandardOutput;
import io.github.gramian.io.internal.TerminalWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParseResult;

/** The application: {@code spark-submit --class io.github.gramian.spark.Main … describe …}. */
@Command(
        name = "gramian-spark",
        description = "Scores, describes, indexes and packs many images on Spark, and trains on several machines.",
        mixinStandardHelpOptions = true,
        subcommands = {
            DescribeCommand.class,
            IndexCommand.class,
            SimilarCommand.class,
            PackCommand.class,
            TrainCommand.class
        })
public final class Main {

    private Main() {}

    /**
     * Ends the JVM with 0, or with 1 (failed, or output was lost) or 2 (invalid arguments); a cluster's scheduler sees
     * which.
     */
    public static void main(String[] words) {
        StandardOutput out = new StandardOutput();
        CommandLine line = commandLine().setOut(out.writer());
        int code = line.execute(words);
        Optional<LostOutputException> lost = out.end();
        if (code == 0 && lost.isPresent()) {
            code = report(lost.get(), line.getErr());
        }
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String... words) {
        return commandLine().execute(words);
    }

    /** Without colours: the output may contain untrusted names. */
    private static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main())
                .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
                .setExecutionStrategy(Main::run)
                .setExecutionExceptionHandler((failure, command, parsed) -> report(failure, command.getErr()));
        return line.setErr(new TerminalWriter(line.getErr(), Charset.defaultCharset()));
    }

    /** As picocli does, but help that could not be printed is a failure like any other. */
    private static int run(ParseResult parsed) {
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (LostOutputException e) {
            throw new ExecutionException(parsed.commandSpec().commandLine(), "failed", e);
        }
    }

    /** Errors that users can fix are one line; anything else is shown with its trace. */
    private static int report(Exception failure, PrintWriter err) {
        if (failure instanceof LostOutputException lost && lost.readerGone()) {
            return StandardOutput.READER_GONE;
        }
        if (failure instanceof GramianException
                || failure instanceof LostOutputException
                || failure instanceof IllegalArgumentException
                || failure instanceof IOException) {
            err.println("gramian-spark: " + failure.getMessage());
        } else {
            failure.printStackTrace(err);
        }
        err.flush();
        return 1;
    }
}
