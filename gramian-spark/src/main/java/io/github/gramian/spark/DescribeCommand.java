package io.github.gramian.spark;

import io.github.gramian.spark.job.DescribeJob;
import io.github.gramian.spark.job.DescribeSettings;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.io.PrintWriter;
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
        name = "describe",
        description =
                "Writes predictions and descriptors of all images of a directory as Parquet files. If started again with"
                        + " the same output, it continues where it stopped.",
        mixinStandardHelpOptions = true)
final class DescribeCommand implements Callable<Integer> {

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
            description = "Encoding of descriptors: fp32, fp16, int8, or none for predictions only (default: fp16).")
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

    @Option(names = "--threads", defaultValue = "1", description = "Number of engine threads per task (default: 1).")
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
        try (SparkSession spark = Main.session("gramian describe " + images, Main.MANY_FAILURES)) {
            DescribeJob.Summary summary = new DescribeJob(spark, settings, commit -> out.println(line(commit))).run();
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
        return String.format(
                Locale.ROOT,
                "wave %d: %d described, %d in quarantine, %.1f s",
                commit.wave(),
                commit.described(),
                commit.quarantined(),
                (commit.committedAt() - commit.startedAt()) / 1e3);
    }
}
