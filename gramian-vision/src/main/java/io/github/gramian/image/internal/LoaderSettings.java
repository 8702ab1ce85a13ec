package io.github.gramian.image.internal;

import io.github.gramian.image.Preprocessing.ChannelOrder;

/**
 * How images are loaded; none of it changes the result.
 *
 * @param batchSize images (not views) a batch
 * @param workers threads that decode, resize and normalise
 * @param prefetch batches that are in work or ready at once; the memory they take is at most prefetch · batchSize · views
 *     · 12 · size² bytes, besides one decoded image a worker
 * @param channelOrder of the pixels
 */
public record LoaderSettings(int batchSize, int workers, int prefetch, ChannelOrder channelOrder) {

    public LoaderSettings {
        require("batchSize", batchSize, 100_000);
        require("workers", workers, 1024);
        require("prefetch", prefetch, 1024);
    }

    /**
     * A worker for every processor, two batches ahead, channels last. On two processors that the network shares, decoding
     * photographs in turns with it, or one batch ahead, was a sixth slower (docs/decisions/0013-photographs.md).
     */
    public static LoaderSettings defaults(int batchSize) {
        return new LoaderSettings(batchSize, Runtime.getRuntime().availableProcessors(), 2, ChannelOrder.LAST);
    }

    private static void require(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + " must lie in 1.." + most + " but is " + value);
        }
    }
}
