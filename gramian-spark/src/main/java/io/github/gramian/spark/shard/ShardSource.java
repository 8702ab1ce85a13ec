package io.github.gramian.spark.shard;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** A folder of images on any file system that Hadoop knows, cut into shards. Equal folders are cut equally. */
public sealed interface ShardSource extends Serializable permits TarShards, ParquetImages, LooseFiles {

    /** Everything that decides what the shards hold, in one line. */
    String identity();

    /** The same with the whole address of its folder: what is relative means another folder in every executor. */
    ShardSource qualified(Configuration hadoop) throws IOException;

    /** Lists the shards, in the order of their names. */
    List<Shard> list(Configuration hadoop) throws IOException;

    /** Opens one of them; images of more bytes than the limit come refused. */
    EntryStream open(Shard shard, Configuration hadoop, long maxBytes) throws IOException;
}
