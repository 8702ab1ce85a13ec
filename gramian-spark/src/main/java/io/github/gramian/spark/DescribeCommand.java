package io.github.gramian.spark;

import io.github.gramian.spark.job.DescribeJob;
import io.github.gramian.spark.job.DescribeSettings;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.WaveCommit;
import io.github.gramian.spark.shard.LooseFiles;
import io.github.gramian.spark.shard.ParquetImages;
import io.github.gramian.spark.shard.ShardSource;
import io.github.gramian.spark.shard.TarShards;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "describe",
        description =
                "Predictions and descriptors of all images of a folder, as a table of Parquet files. Started again with"
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

    @Parameters(index = "1", paramLabel = "OUTPUT", description = "Folder for the table; executors must reach it, too.")
    private String output = "";

    @Option(names = "--model", required = true, description = "The model's file; only the driver reads it.")
    private String model = "";

    @Option(names = "--format", defaultValue = "tar", description = "tar (default), parquet, or files.")
    private Format format = Format.tar;

    @Option(
            names = "--descriptors",
            defaultValue = "fp16",
            description = "fp32, fp16 (default), int8, or none for predictions only.")
    private String descriptors = "";

    @Option(names = "--no-probabilities", description = "Keep the predicted class only.")
    private boolean noProbabilities;

    @Option(names = "--batch", defaultValue = "32", description = "Images that are read at once (default 32).")
    private int batch;

    @Option(
            names = "--wave-shards",
            defaultValue = "0",
            description = "Shards between two commits (default: eight for each core).")
    private int waveShards;

    @Option(names = "--threads", defaultValue = "1", description = "Engine threads a task (default 1).")
    private int threads;

    @Option(
            names = "--deaths",
            defaultValue = "2",
            description = "Executors that an image may crash before it is skipped (default 2).")
    private int deaths;

    @Option(
            names = "--most-rejected",
            defaultValue = "0.5",
            description = "Fraction of a wave's images that may be rejected before the job stops (default 0.5).")
    private double maxRejected;

    @Option(names = "--files-per-shard", defaultValue = "256", description = "With --format files (default 256).")
    private int filesPerShard;

    @Option(names = "--name-column", defaultValue = "path", description = "With --format parquet (default path).")
    private String nameColumn = "";

    @Option(
            names = "--content-column",
            defaultValue = "content",
            description = "With --format parquet (default content).")
    private String contentColumn = "";

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
                maxRejected);
        PrintWriter out = spec.commandLine().getOut();
        try (SparkSession spark = Sessions.open("gramian describe " + images)) {
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
            case tar -> new TarShards(images);
            case parquet -> new ParquetImages(images, nameColumn, contentColumn);
            case files -> new LooseFiles(images, filesPerShard);
        };
    }

    private static String line(WaveCommit commit) {
        return String.format(
                Locale.ROOT,
                "wave %d: %d described, %d in quarantine, %.1f s",
                commit.wave(),
                commit.described(),
                commit.quarantined(),
                (commit.committedAt() - commit.startedAt()) / 1e3);
    }
}
