package io.github.gramian.spark.shard;

import java.io.IOException;

/** A shard, or a folder to be packed, cannot be read; the message gives the reason. */
public final class ShardException extends IOException {

    private static final long serialVersionUID = 1;

    public ShardException(String message) {
        super(message);
    }
}
