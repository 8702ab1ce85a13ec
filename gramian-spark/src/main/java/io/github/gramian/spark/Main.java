package io.github.gramian.spark;

import io.github.gramian.spark.job.JobException;
import io.github.gramian.spark.shard.ShardException;
import io.github.gramian.spark.training.TrainingFailedException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The application: {@code spark-submit --class io.github.gramian.spark.Main … describe …}. */
@Command(
        name = "gramian-spark",
        description = "Scores, describes and packs many images on Spark, and trains on several machines.",
        mixinStandardHelpOptions = true,
        subcommands = {DescribeCommand.class, PackCommand.class, TrainCommand.class})
public final class Main {

    private Main() {}

    /** Ends the JVM with 0, or with 1 (failed) or 2 (wrong words); a cluster's scheduler sees which. */
    public static void main(String[] words) {
        int code = run(words);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String... words) {
        return new CommandLine(new Main())
                .setExecutionExceptionHandler((failure, line, parsed) -> report(failure, line.getErr()))
                .execute(words);
    }

    /** What users can mend is one line; anything else is shown whole. */
    private static int report(Exception failure, PrintWriter err) {
        if (failure instanceof JobException
                || failure instanceof ShardException
                || failure instanceof TrainingFailedException
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
