package io.github.gramian.spark.job;

import io.github.gramian.spark.shard.Shard;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a job, fixed when it starts: a restart continues with the same shards in the same waves, and refuses settings
 * under which rows would look different.
 *
 * @param source the images, in one line
 * @param model hash of the model's file
 * @param rows how rows look, in one line
 * @param shardsPerWave shards between two commits
 * @param shards all of them, in order
 */
record WavePlan(String source, String model, String rows, int shardsPerWave, List<Shard> shards) {

    /** How the line about rows begins; the key of the encoding follows. */
    static final String DESCRIPTORS = "descriptors ";

    WavePlan {
        if (shardsPerWave < 1) {
            throw new IllegalArgumentException("shardsPerWave must be at least 1 but is " + shardsPerWave);
        }
        shards = List.copyOf(shards);
    }

    int waves() {
        return (shards.size() + shardsPerWave - 1) / shardsPerWave;
    }

    List<Shard> wave(int wave) {
        return shards.subList(wave * shardsPerWave, Math.min(shards.size(), (wave + 1) * shardsPerWave));
    }

    /** The encoding of descriptors; empty if there are none. */
    Optional<DescriptorEncoding> encoding() {
        if (!rows.startsWith(DESCRIPTORS)) {
            return Optional.empty();
        }
        String key = rows.substring(DESCRIPTORS.length()).split(",", 2)[0];
        return key.equals("none") ? Optional.empty() : Optional.of(DescriptorEncoding.named(key));
    }

    /** Passes if what is asked for now is what the plan was made for. */
    void checkSame(DescribeSettings settings, String modelSum) {
        check("images", source, settings.source().identity(), settings);
        check("model", model, modelSum, settings);
        check("rows", rows, settings.rowIdentity(), settings);
    }

    private static void check(String what, String planned, String asked, DescribeSettings settings) {
        if (!planned.equals(asked)) {
            throw new JobException(settings.output() + " was started with other " + what + " (" + planned + ", not "
                    + asked + "); give what it was started with, or another output directory");
        }
    }
}
