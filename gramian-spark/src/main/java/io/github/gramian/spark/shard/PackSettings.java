package io.github.gramian.spark.shard;

import java.io.IOException;
import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;

/**
 * How loose files become shards.
 *
 * @param input folder with image files
 * @param output folder for shards
 * @param imagesPerShard how many a shard holds; all but the last hold as many
 * @param maxBytes of one image; longer files are left out and reported
 */
public record PackSettings(String input, String output, int imagesPerShard, long maxBytes) implements Serializable {

    public PackSettings {
        if (imagesPerShard < 1 || imagesPerShard > 10_000_000) {
            throw new IllegalArgumentException("images per shard must lie in 1..10000000 but are " + imagesPerShard);
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
    PackSettings qualified(Configuration hadoop) throws IOException {
        return new PackSettings(
                Listing.qualified(input, hadoop), Listing.qualified(output, hadoop), imagesPerShard, maxBytes);
    }
}
