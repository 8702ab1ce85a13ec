package io.github.gramian.serve.http;

import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.serve.batch.Reservation;
import io.github.gramian.serve.batch.TooLateException;
import io.github.gramian.serve.metrics.ServerMetrics;
import io.github.gramian.serve.metrics.Stage;
import io.github.gramian.serve.model.Lease;
import io.github.gramian.serve.model.ServedModel;
import io.github.gramian.serve.protocol.ImageInput;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * From images of a request to readings: a place in the model's queue first, then decoding on as many threads as there are
 * cores, then the model's batches. Whoever finds no place is told before anything is decoded.
 */
final class Inference implements AutoCloseable {

    private final ImageDecoder decoder;
    private final ServerMetrics metrics;
    private final ExecutorService decoding;

    Inference(ImageLimits limits, ServerMetrics metrics) {
        this.decoder = new ImageDecoder(limits);
        this.metrics = metrics;
        AtomicInteger number = new AtomicInteger();
        this.decoding = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), task -> {
            Thread thread = new Thread(task, "decode-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Reads images with a model, and gives the model back in the end.
     *
     * @param deadline in the time of {@link System#nanoTime}
     */
    CompletableFuture<List<Reading>> read(Lease lease, List<ImageInput> images, long deadline) {
        ServedModel model = lease.model();
        Reservation<PreparedImage, Reading> places;
        try {
            places = model.batcher().reserve(images.size(), deadline);
        } catch (RuntimeException full) {
            lease.close();
            throw full;
        }
        try {
            return CompletableFuture.supplyAsync(() -> prepared(model, images, deadline), decoding)
                    .thenCompose(places::submit)
                    .whenComplete((readings, failure) -> {
                        places.close();
                        lease.close();
                    });
        } catch (RuntimeException | Error noThread) {
            places.close(); // else the model would wait for these images for ever when it is freed
            lease.close();
            throw noThread;
        }
    }

    private List<PreparedImage> prepared(ServedModel model, List<ImageInput> images, long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new TooLateException();
        }
        long start = System.nanoTime();
        List<PreparedImage> prepared = new ArrayList<>();
        for (ImageInput image : images) {
            PreparedImage one = image instanceof ImageInput.Encoded file
                    ? model.predictor().prepare(file.content(), decoder)
                    : model.predictor().prepare(((ImageInput.Pixels) image).image());
            one.rejected().ifPresent(rejected -> {
                throw Failures.rejected(rejected);
            });
            prepared.add(one);
        }
        metrics.stage(Stage.DECODE, model.spec().toString(), System.nanoTime() - start);
        return prepared;
    }

    @Override
    public void close() {
        decoding.shutdown();
    }
}
