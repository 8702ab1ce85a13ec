package io.github.gramian.image.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.tensor.Seed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Batches of images, prepared by several threads ahead of the one that asks.
 *
 * <p>The order, the values and the rejects depend on the source, the order asked for, the preprocessing and the seed;
 * never on the number of threads. Batch k has the images at places k·batchSize to (k+1)·batchSize − 1 of the order; the
 * random views of an image draw from the seed's child of its index. Batches lie in Java's memory; the caller makes
 * its engine's tensor of it.
 *
 * <p>For a network of several scales, a loader reads each file once and decodes it once for each distinct reduction. All
 * scales of an image draw from the same seed.
 *
 * <p>If the asking thread is interrupted, the loader closes and {@link #next} throws {@link CancellationException}. A
 * loader that is dropped half-way without {@link #close} holds no threads after a few seconds.
 */
public final class ImageLoader implements Iterator<ImageLoader.ImageBatch>, AutoCloseable {

    private final ImageSource source;
    private final int[] order;
    private final List<Preprocessing> scales;
    private final List<Reduction> reductions;
    private final LoaderSettings settings;
    private final IntFunction<Seed> seeds;
    private final ExecutorService workers;
    private final Deque<List<Future<Loaded>>> ahead = new ArrayDeque<>();
    private int submitted;
    private int delivered;
    private boolean closed;

    /**
     * Starts loading.
     *
     * @param order indices of the source's images, in the order in which they are wanted; repeated ones are allowed
     * @param seed of the random views; a training passes another one each epoch
     */
    public ImageLoader(
            ImageSource source, int[] order, Preprocessing preprocessing, LoaderSettings settings, Seed seed) {
        this(source, order, List.of(preprocessing), settings, index -> seed.child(index));
    }

    /**
     * Starts loading for each of a network's scales, with a given seed for each image.
     *
     * @param scales all with the same number of views
     * @param seeds of the random views, by index; called by many threads
     */
    public ImageLoader(
            ImageSource source,
            int[] order,
            List<Preprocessing> scales,
            LoaderSettings settings,
            IntFunction<Seed> seeds) {
        for (int index : order) {
            if (index < 0 || index >= source.count()) {
                throw new IllegalArgumentException(
                        "the order contains image " + index + " but the source has 0.." + (source.count() - 1));
            }
        }
        for (Preprocessing scale : scales) {
            ViewBudget.require(List.of(scale), Math.min(settings.batchSize(), order.length));
        }
        this.source = source;
        this.order = order.clone();
        this.scales = List.copyOf(scales);
        this.reductions =
                scales.stream().map(scale -> (Reduction) scale::reduction).toList();
        this.settings = settings;
        this.seeds = seeds;
        this.workers = ImageWorkers.start(settings.workers());
        while (ahead.size() < settings.prefetch() && submitted < order.length) {
            submitBatch();
        }
    }

    @Override
    public boolean hasNext() {
        return !closed && delivered < order.length;
    }

    @Override
    public ImageBatch next() {
        if (!hasNext()) {
            throw new NoSuchElementException(closed ? "the loader is closed" : "all batches were delivered");
        }
        List<Future<Loaded>> futures = ahead.remove();
        List<Integer> indices = new ArrayList<>();
        List<List<float[]>> values = new ArrayList<>();
        List<ImageBatch.Reject> rejects = new ArrayList<>();
        for (Future<Loaded> future : futures) {
            Loaded loaded = ImageWorkers.await(future, this::close);
            if (loaded.rejected != null) {
                rejects.add(new ImageBatch.Reject(loaded.index, loaded.rejected));
            } else {
                indices.add(loaded.index);
                values.add(loaded.values);
            }
        }
        delivered += futures.size();
        if (submitted < order.length) {
            submitBatch();
        }
        List<InputPixels> pixels = IntStream.range(0, scales.size())
                .mapToObj(scale -> new InputPixels(
                        values.stream().map(image -> image.get(scale)).toList(),
                        scales.get(scale).size(),
                        settings.channelOrder()))
                .toList();
        return new ImageBatch(indices, scales.get(0).views(), pixels, rejects);
    }

    /** Stops the threads and drops what they have prepared. Batches that were delivered remain valid. */
    @Override
    public void close() {
        closed = true;
        ahead.clear();
        workers.shutdownNow();
    }

    /** An image's values for each scale, or (with none) why it was rejected. */
    private static final class Loaded {
        final int index;
        final List<float[]> values;
        final Decoded.@Nullable Rejected rejected;

        Loaded(int index, List<float[]> values, Decoded.@Nullable Rejected rejected) {
            this.index = index;
            this.values = values;
            this.rejected = rejected;
        }
    }

    private void submitBatch() {
        int end = (int) Math.min((long) submitted + settings.batchSize(), order.length);
        List<Future<Loaded>> batch = new ArrayList<>();
        while (submitted < end) {
            int index = order[submitted++];
            batch.add(workers.submit(() -> load(index)));
        }
        ahead.add(batch);
    }

    private Loaded load(int index) {
        List<Decoded> decoded = source.load(index, reductions);
        List<float[]> values = new ArrayList<>();
        for (int scale = 0; scale < scales.size(); scale++) {
            if (!(decoded.get(scale) instanceof Decoded.Picture picture)) {
                return new Loaded(index, List.of(), (Decoded.Rejected) decoded.get(scale));
            }
            values.add(scales.get(scale).valuesOf(picture.image(), settings.channelOrder(), seeds.apply(index)));
        }
        return new Loaded(index, values, null);
    }

    /**
     * Some images as a network takes them.
     *
     * @param indices of the images that could be loaded, in the order asked for; image i has the rows i·views to (i+1)·views
     *     − 1
     * @param views rows per image
     * @param scales the pixels of these images for each of the network's scales; at least one
     * @param rejects images of this batch that could not be loaded; they have no row
     */
    public record ImageBatch(List<Integer> indices, int views, List<InputPixels> scales, List<Reject> rejects) {

        public ImageBatch {
            indices = List.copyOf(indices);
            scales = List.copyOf(scales);
            rejects = List.copyOf(rejects);
        }

        /** The pixels for the first scale, which is the only one of most networks. */
        public InputPixels pixels() {
            return scales.get(0);
        }

        /** An image that could not be loaded, and why. */
        public record Reject(int index, Decoded.Rejected why) {}
    }
}
