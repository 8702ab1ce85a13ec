package io.github.gramian.backbone.engine.internal;

import java.util.List;

/**
 * What a {@link FrozenEngine} is opened for.
 *
 * @param taps names of the layers whose features are wanted
 * @param size side of the square images, in pixels, or {@link #ANY_SIZE}
 * @param threads number of threads that compute one batch
 */
public record FrozenRequest(List<String> taps, int size, int threads) {

    /** One engine computes square images of all sizes. */
    public static final int ANY_SIZE = 0;

    public FrozenRequest {
        taps = List.copyOf(taps);
    }
}
