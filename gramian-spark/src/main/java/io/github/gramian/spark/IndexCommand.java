package io.github.gramian.spark;

import io.github.gramian.spark.index.IndexJob;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "index",
        description =
                "Makes the images of a described table searchable by similarity: builds one index per part of the table. If"
                        + " started again with the same output, it continues where it stopped; with another table, it"
                        + " adds that table.",
        mixinStandardHelpOptions = true)
final class IndexCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "TABLE", description = "Table that describe has written.")
    private String table = "";

    @Parameters(
            index = "1",
            paramLabel = "OUT",
            description = "Directory of the index; the executors must be able to write it.")
    private String output = "";

    @Option(
            names = "--model",
            required = true,
            description = "The model that described the images; only the driver reads it.")
    private String model = "";

    @Option(
            names = "--dimensions",
            defaultValue = "256",
            description = "Number of dimensions of a vector in a new index, at most 1024 (default: 256).")
    private int dimensions;

    @Option(
            names = "--like",
            paramLabel = "INDEX",
            description = "Another index of the same model. A new index uses its principal components.")
    private @Nullable String like;

    @Option(
            names = "--parts",
            defaultValue = "0",
            description =
                    "Number of parts (default: one per core, of 50,000 to 1,000,000 photographs each; at most one per"
                            + " file of the table).")
    private int parts;

    @Option(
            names = "--most-rejected",
            defaultValue = "0.5",
            description =
                    "Fraction of the table's rows that may have no usable descriptor before the job fails (default: 0.5).")
    private double maxRejected;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        IndexJob.Settings settings = new IndexJob.Settings(table, output, model, dimensions, like, parts, maxRejected);
        try (SparkSession spark = Main.session("gramian index " + table, Main.FEW_FAILURES)) {
            IndexJob.Summary summary = new IndexJob(spark, settings).run();
            spec.commandLine()
                    .getOut()
                    .printf(
                            Locale.ROOT,
                            "%d photographs in %d parts (%d of them before this start), %d rows in quarantine; %d"
                                    + " photographs in %s%n",
                            summary.photographs(),
                            summary.parts(),
                            summary.builtBefore(),
                            summary.quarantined(),
                            summary.allPhotographs(),
                            output)
                    .flush();
        }
        return 0;
    }
}
