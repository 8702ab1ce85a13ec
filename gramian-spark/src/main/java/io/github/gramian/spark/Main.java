package io.github.gramian.spark;

import io.github.gramian.GramianException;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.StandardOutput;
import io.github.gramian.io.internal.StandardOutput.LostOutputException;
import io.github.gramian.io.internal.TerminalWriter;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.spark.index.IndexJob;
import io.github.gramian.spark.index.SearchJob;
import io.github.gramian.spark.job.DescribeJob;
import io.github.gramian.spark.job.DescribeSettings;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.shard.Packer;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The application: {@code spark-submit --class io.github.gramian.spark.Main … describe …}. */
@Command(
        name = "gramian-spark",
        description = "Scores, describes, indexes, searches and packs many images on Spark.",
        mixinStandardHelpOptions = true,
        subcommands = {
            Main.DescribeCommand.class,
            Main.IndexCommand.class,
            Main.SimilarCommand.class,
            Main.PackCommand.class
        })
public final class Main {

    /**
     * How often a task may fail. An image that crashes its executor does so once in a batch and then by itself, as often as
     * allowed; and a shard may hold several of them.
     */
    private static final String MANY_FAILURES = "64";

    /** For jobs whose tasks do not crash by themselves: a failure that repeats is reported soon. */
    private static final String FEW_FAILURES = "6";

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
    private static SparkSession session(String name, String maxFailures) {
        SparkConf conf = new SparkConf(); // the settings of spark-submit
        conf.setIfMissing("spark.task.maxFailures", maxFailures);
        conf.setIfMissing("spark.app.name", name);
        conf.setIfMissing("spark.ui.showConsoleProgress", "false");
        return SparkSession.builder().config(conf).getOrCreate();
    }

    @Command(
            name = "describe",
            description =
                    "Writes predictions and descriptors of all images of a directory as Parquet files. If started again with"
                            + " the same output, it continues where it stopped.",
            mixinStandardHelpOptions = true)
    static final class DescribeCommand implements Callable<Integer> {

        enum Format {
            tar,
            parquet,
            files
        }

        @Parameters(index = "0", paramLabel = "IMAGES", description = "Folder of shards, Parquet files or images.")
        private String images = "";

        @Parameters(
                index = "1",
                paramLabel = "OUTPUT",
                description = "Folder for the table; the executors must be able to write it.")
        private String output = "";

        @Option(names = "--model", required = true, description = "Model file; only the driver reads it.")
        private String model = "";

        @Option(
                names = "--format",
                defaultValue = "tar",
                description = "Format of the images: tar, parquet or files (default: tar).")
        private Format format = Format.tar;

        @Option(
                names = "--descriptors",
                defaultValue = "fp16",
                description =
                        "Encoding of descriptors: fp32, fp16, int8, or none for predictions only (default: fp16).")
        private String descriptors = "";

        @Option(names = "--no-probabilities", description = "Store only the predicted class.")
        private boolean noProbabilities;

        @Option(names = "--batch", defaultValue = "32", description = "Number of images per batch (default: 32).")
        private int batch;

        @Option(
                names = "--wave-shards",
                defaultValue = "0",
                description = "Number of shards between two commits (default: eight per core).")
        private int waveShards;

        @Option(
                names = "--threads",
                defaultValue = "1",
                description = "Number of engine threads per task (default: 1).")
        private int threads;

        @Option(
                names = "--deaths",
                defaultValue = "2",
                description = "Number of executors that an image may crash before it is skipped (default: 2).")
        private int deaths;

        @Option(
                names = "--most-rejected",
                defaultValue = "0.5",
                description = "Fraction of a wave's images that may be rejected before the job stops (default: 0.5).")
        private double maxRejected;

        @Option(
                names = "--files-per-shard",
                defaultValue = "256",
                description = "With --format files: number of files per shard (default: 256).")
        private int filesPerShard;

        @Option(
                names = "--name-column",
                defaultValue = "path",
                description = "With --format parquet: column with the names of images (default: path).")
        private String nameColumn = "";

        @Option(
                names = "--content-column",
                defaultValue = "content",
                description = "With --format parquet: column with the bytes of images (default: content).")
        private String contentColumn = "";

        @Option(
                names = "--coverage",
                description =
                        "Also store a set of classes that holds the true class for this share of images, such as 0.9.")
        private @Nullable Double coverage;

        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Override
        public Integer call() throws IOException {
            DescribeSettings settings = new DescribeSettings(
                    source(),
                    model,
                    output,
                    descriptors.equals("none") ? null : DescriptorEncoding.named(descriptors),
                    !noProbabilities,
                    batch,
                    waveShards,
                    threads,
                    deaths,
                    maxRejected,
                    coverage);
            PrintWriter out = spec.commandLine().getOut();
            try (SparkSession spark = session("gramian describe " + images, MANY_FAILURES)) {
                DescribeJob.Summary summary =
                        new DescribeJob(spark, settings, commit -> out.println(line(commit))).run();
                out.printf(
                        Locale.ROOT,
                        "%d images described, %d in quarantine, %d waves (%d of them before this start)%n",
                        summary.described(),
                        summary.quarantined(),
                        summary.waves(),
                        summary.wavesBefore());
                out.flush();
            }
            return 0;
        }

        private ShardSource source() {
            return switch (format) {
                case tar -> new ShardSource.TarShards(images);
                case parquet -> new ShardSource.ParquetImages(images, nameColumn, contentColumn);
                case files -> new ShardSource.LooseFiles(images, filesPerShard);
            };
        }

        private static String line(DescribeJob.WaveCommit commit) {
            return Text.format(
                    "wave %d: %d described, %d in quarantine, %.1f s",
                    commit.wave(),
                    commit.described(),
                    commit.quarantined(),
                    (commit.committedAt() - commit.startedAt()) / 1e3);
        }
    }

    @Command(
            name = "index",
            description =
                    "Makes the images of a described table searchable by similarity: builds one index per part of the table. If"
                            + " started again with the same output, it continues where it stopped; with another table, it"
                            + " adds that table.",
            mixinStandardHelpOptions = true)
    static final class IndexCommand implements Callable<Integer> {

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
            IndexJob.Settings settings =
                    new IndexJob.Settings(table, output, model, dimensions, like, parts, maxRejected);
            try (SparkSession spark = session("gramian index " + table, FEW_FAILURES)) {
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

    @Command(
            name = "similar",
            description =
                    "Finds the photographs of an index that are most similar to one, or to each of a described table. All parts"
                            + " are searched in parallel.",
            mixinStandardHelpOptions = true)
    static final class SimilarCommand implements Callable<Integer> {

        enum MatchFormat {
            text,
            jsonl
        }

        @Parameters(index = "0", paramLabel = "INDEX", description = "Directory that index has written.")
        private String index = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "PHOTO",
                description = "Photograph to compare with, on the driver's disk.")
        private @Nullable Path photo;

        @Option(names = "--queries", paramLabel = "TABLE", description = "Table of described images to compare with.")
        private @Nullable String queries;

        @Option(
                names = "--out",
                paramLabel = "RESULT",
                description = "With --queries: new directory for a table of query, rank, name, label and similarity.")
        private @Nullable String out;

        @Option(names = "--top", defaultValue = "20", description = "Number of photographs per query (default: 20).")
        private int top;

        @Option(
                names = "--filter",
                paramLabel = "FIELD=VALUE",
                description =
                        "Restricts the results: label=NAME or path=START*. Filters of one field are alternatives.")
        private List<String> filters = new ArrayList<>();

        @Option(names = "--format", defaultValue = "text", description = "With PHOTO: text or jsonl (default: text).")
        private MatchFormat format = MatchFormat.text;

        @Option(
                names = "--model",
                description = "The model of the index. Needed only if it was moved since the index was built.")
        private @Nullable String model;

        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Override
        public Integer call() throws IOException {
            if ((photo == null) == (queries == null) || (queries == null) != (out == null)) {
                throw new IllegalArgumentException("give either a photograph, or --queries with --out");
            }
            PrintWriter text = spec.commandLine().getOut();
            try (SparkSession spark = session("gramian similar " + index, FEW_FAILURES)) {
                SearchJob search = new SearchJob(spark, index, top, filters);
                if (photo != null) {
                    search.similar(Files.readAllBytes(photo), model).forEach(hit -> text.println(line(hit)));
                } else if (queries != null && out != null) {
                    SearchJob.Summary summary = search.similar(queries, out);
                    text.printf(
                            Locale.ROOT,
                            "%d queries answered, %d without a usable descriptor%n",
                            summary.queries(),
                            summary.rejected());
                }
            }
            text.flush();
            return 0;
        }

        private String line(SearchJob.Hit hit) {
            return format == MatchFormat.jsonl
                    ? Json.text(Json.members(Map.entry("name", hit.name()), Map.entry("similarity", hit.similarity())))
                    : Text.format("%.4f  %s", hit.similarity(), hit.name());
        }
    }

    @Command(
            name = "pack",
            description = "Packs image files into tar shards. If started again, it makes the missing shards.",
            mixinStandardHelpOptions = true)
    static final class PackCommand implements Callable<Integer> {

        @Parameters(index = "0", paramLabel = "IMAGES", description = "Folder with image files, at any depth.")
        private String images = "";

        @Parameters(index = "1", paramLabel = "SHARDS", description = "Folder for the shards.")
        private String shards = "";

        @Option(
                names = "--shard-images",
                defaultValue = "10000",
                description = "Number of images per shard (default: 10000).")
        private int shardImages;

        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Override
        public Integer call() throws IOException {
            Packer.Settings settings = new Packer.Settings(images, shards, shardImages, ImageLimits.DEFAULT.maxBytes());
            PrintWriter out = spec.commandLine().getOut();
            try (SparkSession spark = session("gramian pack " + images, MANY_FAILURES)) {
                Packer.Summary packed = Packer.run(spark, settings);
                packed.leftOut().forEach(file -> out.println("left out: " + file.name() + ": " + file.reason()));
                out.println(packed.shards() + " shards in " + shards + ", "
                        + packed.leftOut().size() + " files left out");
                out.flush();
            }
            return 0;
        }
    }
}
