package io.github.gramian.spark;

import io.github.gramian.GramianException;
import io.github.gramian.io.internal.StandardOutput;
import io.github.gramian.io.internal.StandardOutput.LostOutputException;
import io.github.gramian.io.internal.TerminalWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParseResult;

/** The application: {@code spark-submit --class io.github.gramian.spark.Main … describe …}. */
@Command(
        name = "gramian-spark",
        description = "Scores, describes, indexes, searches and packs many images on Spark.",
        mixinStandardHelpOptions = true,
        subcommands = {DescribeCommand.class, IndexCommand.class, SimilarCommand.class, PackCommand.class})
public final class Main {

    /**
     * How often a task may fail. An image that crashes its executor does so once in a batch and then by itself, as often as
     * allowed; and a shard may hold several of them.
     */
    static final String MANY_FAILURES = "64";

    /** For jobs whose tasks do not crash by themselves: a failure that repeats is reported soon. */
    static final String FEW_FAILURES = "6";

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

    /** The session of a job, with the settings that it needs, unless the user has set them. */
    static SparkSession session(String name, String maxFailures) {
        SparkConf conf = new SparkConf(); // the settings of spark-submit
        conf.setIfMissing("spark.task.maxFailures", maxFailures);
        conf.setIfMissing("spark.app.name", name);
        conf.setIfMissing("spark.ui.showConsoleProgress", "false");
        return SparkSession.builder().config(conf).getOrCreate();
    }
}
