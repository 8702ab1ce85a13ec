package io.github.gramian.serve.decoding.internal;

import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.serve.batch.internal.Batcher;
import io.github.gramian.serve.batch.internal.Reservation;
import io.github.gramian.serve.metrics.internal.RequestStage;
import io.github.gramian.serve.metrics.internal.ServerMetrics;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ServedModel;
import io.github.gramian.serve.model.internal.ServedModel.Question;
import io.github.gramian.serve.protocol.internal.ImageInput;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.LongStream;

/**
 * From images of a request to readings: an estimate of the work, a place in the model's queue, then decoding, then the
 * model's batches. A request that costs too much or finds no place is refused before anything is decoded. One that is not
 * decoded at its deadline is answered then, even if a decoder still runs.
 */
public final class InferencePipeline implements AutoCloseable {

    private final ImageDecoder decoder;
    private final long maxPasses;
    private final ServerMetrics metrics;
    private final DecodingThreads decoding =
            new DecodingThreads(Runtime.getRuntime().availableProcessors());
    private final ScheduledThreadPoolExecutor clock;

    /** @param maxPasses estimated work of decoding all images of a request, see {@link ImageDecoder#work} */
    public InferencePipeline(ImageLimits limits, long maxPasses, ServerMetrics metrics) {
        this.decoder = new ImageDecoder(limits);
        this.maxPasses = maxPasses;
        this.metrics = metrics;
        this.clock = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "decode-deadlines");
            thread.setDaemon(true);
            return thread;
        });
        clock.setRemoveOnCancelPolicy(true);
    }

    /**
     * Reads images with a model, and gives the model back in the end.
     *
     * @param client key or address of the client
     * @param deadline in the time of {@link System#nanoTime}
     */
    public CompletableFuture<List<Reading>> read(Lease lease, String client, List<ImageInput> images, long deadline) {
        String model = lease.model().spec().toString();
        return run(lease, client, images, deadline, new Work<>(lease.model().batcher(), image -> image))
                .whenComplete((readings, failure) -> {
                    if (failure == null) {
                        readings.forEach(reading -> metrics.predicted(model, reading.prediction()));
                    }
                });
    }

    /**
     * Explains an image with a model, and gives the model back in the end.
     *
     * @param subject index of the class; empty for the predicted one
     */
    public CompletableFuture<Explanation> explain(
            Lease lease, String client, ImageInput image, Optional<Integer> subject, long deadline) {
        Batcher<Question, Explanation> batcher = lease.model().explanations().orElseThrow();
        return run(lease, client, List.of(image), deadline, new Work<>(batcher, one -> new Question(one, subject)))
                .thenApply(explanations -> explanations.get(0));
    }

    /** What happens to decoded images: the queue that they go to, and as what. */
    private record Work<I, O>(Batcher<I, O> batcher, Function<PreparedImage, I> input) {

        List<I> inputs(List<PreparedImage> images) {
            return images.stream().map(input).toList();
        }
    }

    private <I, O> CompletableFuture<List<O>> run(
            Lease lease, String client, List<ImageInput> images, long deadline, Work<I, O> work) {
        ServedModel model = lease.model();
        DecodingRequest request = new DecodingRequest(
                lease,
                images,
                decoder,
                nanos -> metrics.stage(RequestStage.DECODE, model.spec().toString(), nanos));
        Reservation<I, O> places;
        List<DecodingQueue.Task> tasks;
        try {
            tasks = tasks(client, images, request);
            places = reserve(work.batcher(), tasks, deadline);
        } catch (RuntimeException | Error e) {
            request.leave();
            throw e;
        }
        CompletableFuture<List<O>> answer = request.images()
                .whenComplete((prepared, failure) -> {
                    if (failure != null) {
                        decoding.withdraw(tasks);
                    }
                })
                .thenCompose(prepared -> places.submit(work.inputs(prepared)))
                .whenComplete((readings, failure) -> {
                    places.close(); // else the model would wait for these images for ever when it is freed
                    request.leave();
                });
        try {
            Future<?> alarm =
                    clock.schedule(request::expire, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            var unused = request.images().whenComplete((prepared, failure) -> alarm.cancel(false));
            decoding.execute(tasks);
        } catch (RuntimeException | Error e) { // such as a pipeline that was closed a moment ago
            request.fail(e);
        }
        return answer;
    }

    private List<DecodingQueue.Task> tasks(String client, List<ImageInput> images, DecodingRequest request) {
        long[] passes = images.stream().mapToLong(this::passes).toArray();
        long sum = LongStream.of(passes).sum();
        if (sum > maxPasses) {
            throw new RequestException(
                    413,
                    "decoding these images takes about " + sum + " pixel passes, but a request may take at most "
                            + maxPasses + "; send fewer or smaller images, or save them as baseline JPEG");
        }
        List<DecodingQueue.Task> tasks = new ArrayList<>();
        for (int i = 0; i < passes.length; i++) {
            int place = i;
            tasks.add(DecodingQueue.Task.of(client, passes[i], sum, () -> request.decode(place)));
        }
        return tasks;
    }

    private long passes(ImageInput image) {
        return image instanceof ImageInput.Encoded file
                ? decoder.work(file.content())
                : (long) ((ImageInput.Pixels) image).image().width()
                        * ((ImageInput.Pixels) image).image().height();
    }

    /** Expensive requests share one half of the places, since they may hold them until their deadline. */
    private static <I, O> Reservation<I, O> reserve(
            Batcher<I, O> batcher, List<DecodingQueue.Task> tasks, long deadline) {
        int queue = batcher.limits().queue();
        long sum = tasks.stream().mapToLong(DecodingQueue.Task::passes).sum();
        if (sum <= DecodingQueue.SLOW_PASSES) {
            return batcher.reserve(tasks.size(), deadline, queue);
        }
        int half = Math.max(1, queue / 2);
        if (tasks.size() > half) {
            throw new RequestException(
                    413,
                    "these images take long to decode (" + sum + " pixel passes), and a request may have at most "
                            + half + " such images; send fewer images in one request");
        }
        return batcher.reserve(tasks.size(), deadline, half);
    }

    @Override
    public void close() {
        decoding.close();
        clock.shutdown(); // deadlines of pending requests still apply
    }
}
