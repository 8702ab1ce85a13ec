package io.github.gramian.spark.job;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.spark.shard.ShardSource;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a job: the images, the model, the output.
 *
 * @param source the images
 * @param model path of the model's file
 * @param output folder of the table of results
 * @param encoding of descriptors; null if only predictions are wanted
 * @param probabilities whether the probabilities of all classes are stored, or only the predicted class
 * @param batchSize number of images per batch
 * @param shardsPerWave shards between two commits; 0 for eight for each core of the cluster
 * @param threads engine threads per task; {@code spark.task.cpus} should be the same
 * @param deaths how many executors an image may crash, read by itself, before it is skipped
 * @param maxRejected fraction of a wave's images that may end in quarantine; with more of them the job stops, since then
 *     something else is wrong than the images
 * @param coverage of sets of classes; null for no sets
 */
public record DescribeSettings(
        ShardSource source,
        String model,
        String output,
        @Nullable DescriptorEncoding encoding,
        boolean probabilities,
        int batchSize,
        int shardsPerWave,
        int threads,
        int deaths,
        double maxRejected,
        @Nullable Double coverage)
        implements Serializable {

    public DescribeSettings {
        require("batchSize", batchSize, 1, 4096);
        require("shardsPerWave", shardsPerWave, 0, 1_000_000);
        require("threads", threads, 1, 1024);
        require("deaths", deaths, 1, 100);
        if (!(maxRejected >= 0 && maxRejected <= 1)) {
            throw new IllegalArgumentException("maxRejected must lie in 0..1 but is " + maxRejected);
        }
        new CertaintyRequest(coverage, null); // refuses a coverage out of range
    }

    /** Descriptors of 16 bits and probabilities of a folder, with defaults for everything else. */
    public static DescribeSettings defaults(ShardSource source, String model, String output) {
        return new DescribeSettings(source, model, output, DescriptorEncoding.FP16, true, 32, 0, 1, 2, 0.5, null);
    }

    /** The same with the source under another address. */
    DescribeSettings with(ShardSource other) {
        return new DescribeSettings(
                other,
                model,
                output,
                encoding,
                probabilities,
                batchSize,
                shardsPerWave,
                threads,
                deaths,
                maxRejected,
                coverage);
    }

    /** Settings that determine the rows: a restart must not change them. */
    String rowIdentity() {
        return JobFolder.WavePlan.DESCRIPTORS + (encoding == null ? "none" : encoding.key()) + ", probabilities "
                + probabilities + (coverage == null ? "" : ", coverage " + coverage);
    }

    private static void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must lie in " + least + ".." + most + " but is " + value);
        }
    }
}
