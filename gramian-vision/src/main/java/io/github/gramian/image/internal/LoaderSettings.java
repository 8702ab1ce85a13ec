package io.github.gramian.image.internal;

/**
 * How images are loaded; none of it changes the result.
 *
 * @param batchSize images (not views) a batch
 * @param workers threads that decode, resize and normalise
 * @param prefetch batches that are in work or ready while the caller works on another; with 0 loading and the caller take
 *     turns. The memory they take is at most max(1, prefetch) · batchSize · views · 12 · size² bytes, besides one decoded
 *     image a worker
 * @param channelOrder of the pixels
 */
public record LoaderSettings(int batchSize, int workers, int prefetch, ChannelOrder channelOrder) {

    /** Batches ahead of whoever does not share the processors. */
    private static final int AHEAD = 2;

    public LoaderSettings {
        require("batchSize", batchSize, 1, 100_000);
        require("workers", workers, 1, 1024);
        require("prefetch", prefetch, 0, 1024);
    }

    /** A worker for every processor, {@link #ahead as far ahead} as suits that many, channels last. */
    public static LoaderSettings defaults(int batchSize) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new LoaderSettings(batchSize, processors, ahead(batchSize, processors), ChannelOrder.LAST);
    }

    /**
     * How many batches ahead images should be loaded for a network on the same processors. A network divides each step of its
     * work evenly among all of them and waits for the slowest part, so a worker that takes one of them away delays all. Where
     * a batch keeps every worker busy (two images or more each), loading and the network take turns; where it cannot, loading
     * runs two batches ahead.
     */
    public static int ahead(int batchSize, int processors) {
        return batchSize >= 2 * processors ? 0 : AHEAD;
    }

    /** The same for a network on this device: one that leaves the processors free is fed at least two batches ahead. */
    public LoaderSettings forDevice(String device) {
        return device.equals("cpu")
                ? this
                : new LoaderSettings(batchSize, workers, Math.max(prefetch, AHEAD), channelOrder);
    }

    /** The same with the pixels in another order. */
    public LoaderSettings withChannelOrder(ChannelOrder order) {
        return new LoaderSettings(batchSize, workers, prefetch, order);
    }

    private static void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must lie in " + least + ".." + most + " but is " + value);
        }
    }
}
