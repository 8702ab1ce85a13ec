package io.github.gramian.model.internal;

import io.github.gramian.image.internal.ImageWorkers;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.Reading;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Readings of a stream of files, computed batch by batch as they are consumed. Workers decode a bounded number of batches in
 * advance; the list of files is never held.
 */
public final class StreamedReadings implements Iterator<Reading>, AutoCloseable {

    /** A file on its way to the network. */
    private record Waiting(Path file, Future<PreparedImage> image) {}

    private final BatchPredictor predictor;
    private final Iterator<Path> files;
    private final BatchOptions options;
    private final boolean describe;
    private final ExecutorService workers;
    private final Deque<List<Waiting>> ahead = new ArrayDeque<>();
    private final Deque<Reading> ready = new ArrayDeque<>();

    private StreamedReadings(BatchPredictor predictor, Iterator<Path> files, BatchOptions options, boolean describe) {
        this.predictor = predictor;
        this.files = files;
        this.options = options;
        this.describe = describe;
        this.workers = ImageWorkers.start(options.workers());
    }

    /**
     * A sequential stream in the order of the files.
     *
     * @param files is closed with the result
     * @param describe whether descriptors are wanted
     */
    public static Stream<Reading> of(
            BatchPredictor predictor, Stream<Path> files, BatchOptions options, boolean describe) {
        predictor.requireBatch(options.batch());
        StreamedReadings readings = new StreamedReadings(predictor, files.iterator(), options, describe);
        int traits = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(readings, traits), false)
                .onClose(readings::close)
                .onClose(files::close);
    }

    @Override
    public boolean hasNext() {
        if (!ready.isEmpty()) {
            return true;
        }
        while (ahead.size() < options.lookAhead() && files.hasNext()) {
            ahead.add(nextBatch());
        }
        if (ahead.isEmpty()) {
            close();
            return false;
        }
        read(ahead.remove());
        return true;
    }

    @Override
    public Reading next() {
        if (!hasNext()) {
            throw new NoSuchElementException("all files were read");
        }
        return ready.remove();
    }

    private List<Waiting> nextBatch() {
        List<Waiting> batch = new ArrayList<>();
        while (batch.size() < options.batch() && files.hasNext()) {
            Path file = files.next();
            batch.add(new Waiting(file, workers.submit(() -> predictor.prepare(file))));
        }
        return batch;
    }

    /** The readings of a batch in the order of its files, of which some may be rejected. */
    private void read(List<Waiting> batch) {
        List<String> names = new ArrayList<>();
        List<PreparedImage> readable = new ArrayList<>();
        List<PreparedImage> all = new ArrayList<>();
        for (Waiting waiting : batch) {
            PreparedImage image = ImageWorkers.await(waiting.image(), this::close);
            all.add(image);
            if (image.rejected().isEmpty()) {
                names.add(waiting.file().toString());
                readable.add(image);
            }
        }
        Iterator<Reading> readings = predictor.read(names, readable, describe).iterator();
        for (int i = 0; i < all.size(); i++) {
            String name = batch.get(i).file().toString();
            ready.add(all.get(i)
                    .rejected()
                    .map(rejected -> Reading.rejected(name, rejected.sentence()))
                    .orElseGet(readings::next));
        }
    }

    /** Stops the workers and drops what they have prepared. */
    @Override
    public void close() {
        ahead.clear();
        workers.shutdownNow();
    }
}
