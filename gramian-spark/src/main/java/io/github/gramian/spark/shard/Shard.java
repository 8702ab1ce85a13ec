package io.github.gramian.spark.shard;

import java.io.Serializable;
import java.util.List;

/**
 * The input of one task.
 *
 * @param name unique among the shards of a source
 * @param files of which it consists, relative to the source's folder
 */
public record Shard(String name, List<String> files) implements Serializable {

    public Shard {
        if (name.isEmpty() || files.isEmpty()) {
            throw new IllegalArgumentException("a shard needs a name and at least one file");
        }
        files = List.copyOf(files);
    }
}
