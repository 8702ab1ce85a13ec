package io.github.gramian.spark.shard;

import java.io.IOException;

/** A shard is not what its layout says; the message tells at which byte. */
public final class ShardException extends IOException {

    private static final long serialVersionUID = 1;

    public ShardException(String message) {
        super(message);
    }
}
