package io.github.gramian.model;

/**
 * How many images are processed at once. The options change speed and memory, and none of the results.
 *
 * @param batch number of images per batch
 * @param workers number of threads that decode, resize and normalise
 * @param lookAhead number of batches that are decoded in advance; at most {@code lookAhead · batch} prepared images are in
 *     memory
 */
public record BatchOptions(int batch, int workers, int lookAhead) {

    public BatchOptions {
        require("batch", batch, 100_000);
        require("workers", workers, 1024);
        require("lookAhead", lookAhead, 1024);
    }

    /** 32 images per batch, one worker per processor, two batches in advance. */
    public static BatchOptions defaults() {
        return new BatchOptions(32, Runtime.getRuntime().availableProcessors(), 2);
    }

    /** The same with another number of images per batch. */
    public BatchOptions withBatch(int images) {
        return new BatchOptions(images, workers, lookAhead);
    }

    private static void require(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " must lie in 1.." + max + " but is " + value);
        }
    }
}
