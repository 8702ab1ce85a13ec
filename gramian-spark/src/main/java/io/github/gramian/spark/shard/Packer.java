package io.github.gramian.spark.shard;

import io.github.gramian.io.internal.TarWriter;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Packs loose image files into tar shards, in the order of their paths: equal files are packed into equal bytes, by any process that packs
 * and however often. A shard takes its name when it is complete; a restart makes only those that are missing.
 */
public final class Packer {

    private final Settings settings;

    public Packer(Settings settings) {
        this.settings = settings;
    }

    /** A file that is not in its shard, and why. */
    public record LeftOut(String name, String reason) implements Serializable {}

    /**
     * Result of packing on a cluster.
     *
     * @param shards that there are now
     * @param leftOut files that are not in the shards that this job made
     */
    public record Summary(int shards, List<LeftOut> leftOut) {}

    /** Packs on a cluster, one shard per task; makes only the shards that are missing. */
    public static Summary run(SparkSession spark, Settings settings) throws IOException {
        Configuration hadoop = spark.sessionState().newHadoopConf();
        Settings what = settings.qualified(hadoop);
        List<ShardSource.Shard> plan = new Packer(what).plan(hadoop);
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        Broadcast<SerializableConfiguration> everywhere = context.broadcast(new SerializableConfiguration(hadoop));
        List<LeftOut> leftOut = context.parallelize(plan, plan.size())
                .flatMap(shard ->
                        new Packer(what).pack(shard, everywhere.value().value()).iterator())
                .collect();
        return new Summary(plan.size(), List.copyOf(leftOut));
    }

    /** The shards to be made, named {@code shard-000000.tar} and on. */
    public List<ShardSource.Shard> plan(Configuration hadoop) throws IOException {
        List<ShardSource.Shard> plan = source().list(hadoop).stream()
                .map(part -> new ShardSource.Shard(part.name().replace("files-", "shard-") + ".tar", part.files()))
                .toList();
        if (plan.isEmpty()) {
            throw new ShardException("no images below " + settings.input() + "; names must end in one of "
                    + ImageEntry.ENDINGS.stream().sorted().toList());
        }
        return plan;
    }

    /** Makes one shard, unless it exists; returns what was left out. */
    public List<LeftOut> pack(ShardSource.Shard shard, Configuration hadoop) throws IOException {
        Path target = new Path(settings.output(), shard.name());
        FileSystem files = target.getFileSystem(hadoop);
        if (files.exists(target)) {
            return List.of();
        }
        Path temporary = new Path(settings.output(), "_" + shard.name() + "." + UUID.randomUUID());
        List<LeftOut> leftOut = new ArrayList<>();
        try {
            try (TarWriter tar = new TarWriter(files.create(temporary, true));
                    ShardSource.EntryStream entries = source().open(shard, hadoop, settings.maxBytes())) {
                for (ImageEntry entry = entries.next(); entry != null; entry = entries.next()) {
                    if (entry.refused() != null) {
                        leftOut.add(new LeftOut(entry.name(), entry.refused()));
                    } else {
                        tar.add(entry.name(), entry.content());
                    }
                }
            }
            if (leftOut.size() == shard.files().size()) {
                throw new ShardException("none of the " + leftOut.size() + " files of " + shard.name()
                        + " can be read; the first, " + leftOut.get(0).name() + ": "
                        + leftOut.get(0).reason());
            }
            // Two that made the same shard at once made the same bytes: the later one is not needed.
            if (!files.rename(temporary, target) && !files.exists(target)) {
                throw new IOException(target + " could not be given its name");
            }
            return leftOut;
        } finally {
            files.delete(temporary, false);
        }
    }

    private ShardSource.LooseFiles source() {
        return new ShardSource.LooseFiles(settings.input(), settings.imagesPerShard());
    }

    /**
     * How loose files become shards.
     *
     * @param input folder with image files
     * @param output folder for shards
     * @param imagesPerShard how many a shard holds; all but the last hold as many
     * @param maxBytes of one image; longer files are left out and reported
     */
    public record Settings(String input, String output, int imagesPerShard, long maxBytes) implements Serializable {

        public Settings {
            if (imagesPerShard < 1 || imagesPerShard > 10_000_000) {
                throw new IllegalArgumentException(
                        "images per shard must lie in 1..10000000 but are " + imagesPerShard);
            }
            if (maxBytes < 1 || maxBytes > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException("bytes per image must lie in 1..2147483639 but are " + maxBytes);
            }
            if (input.equals(output)) {
                throw new IllegalArgumentException(
                        "the directory of the shards must differ from that of the images: " + input);
            }
        }

        /** The same with the whole addresses of both folders: what is relative means another folder in every executor. */
        Settings qualified(Configuration hadoop) throws IOException {
            return new Settings(
                    ShardSource.Listing.qualified(input, hadoop),
                    ShardSource.Listing.qualified(output, hadoop),
                    imagesPerShard,
                    maxBytes);
        }
    }
}
