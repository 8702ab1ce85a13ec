package io.github.gramian.spark.shard;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The images of a shard, one after the other, always in the same order. */
public interface EntryStream extends Closeable {

    /** The next image; null after the last. */
    @Nullable
    ImageEntry next() throws IOException;
}
