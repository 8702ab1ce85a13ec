package io.github.gramian.serve.inference.internal;

import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.Reading;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.serve.inference.internal.ModelRepository.Lease;
import io.github.gramian.serve.inference.internal.ServedModel.Mapped;
import io.github.gramian.serve.inference.internal.ServedModel.Question;
import io.github.gramian.serve.inference.internal.ServerMetrics.RequestStage;
import io.github.gramian.serve.protocol.internal.InferRequest.ImageInput;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * From images of a request to readings: an estimate of the work, a place in the model's queue, then decoding, then the
 * model's batches. A request that costs too much or finds no place is refused before anything is decoded. One that is not
 * decoded at its deadline is answered then, even if a decoder still runs.
 */
public final class InferencePipeline implements AutoCloseable {

    /** Estimated work above which an image is slow: about 0.4 s on one core, as for a PNG of 11 megapixels. */
    static final long SLOW_PASSES = 1L << 27;

    /**
     * A request is placed as if it had arrived later by this time per pixel pass. It is about 13 times what a pass takes,
     * so an expensive request hardly delays cheap ones; but however many of these arrive, it advances.
     */
    private static final long HANDICAP_NANOS = 40;

    /** Estimated work of the network for one pixel of a photograph that it reads whole, in pixel passes. */
    static final long WHOLE_PASSES = 1 << 8;

    private final ImageDecoder decoder;
    private final long maxPasses;
    private final ServerMetrics metrics;
    private final DecodingQueue decoding =
            new DecodingQueue().start(Runtime.getRuntime().availableProcessors());
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
        ServedModel model = lease.model();
        Optional<WholePhoto> view = model.predictor()
                .photographs()
                .filter(PhotoReader::findsDefects)
                .map(PhotoReader::view);
        return run(lease, client, images, deadline, model.batcher(), view, image -> image)
                .whenComplete((readings, failure) -> {
                    if (failure == null) {
                        readings.forEach(reading ->
                                metrics.predicted(model.spec().toString(), reading.prediction(), view.isEmpty()));
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
        return run(
                        lease,
                        client,
                        List.of(image),
                        deadline,
                        batcher,
                        Optional.empty(),
                        one -> new Question(one, subject))
                .thenApply(explanations -> explanations.get(0));
    }

    /** Maps a whole photograph with a model that can, and gives the model back in the end. */
    public CompletableFuture<Mapped> map(Lease lease, String client, ImageInput image, long deadline) {
        ServedModel model = lease.model();
        Optional<WholePhoto> view = model.predictor().photographs().map(PhotoReader::view);
        return run(lease, client, List.of(image), deadline, model.maps().orElseThrow(), view, one -> one)
                .thenApply(maps -> maps.get(0));
    }

    /**
     * An image that waits to be decoded.
     *
     * @param client key or address of the client
     * @param passes estimated work of this image
     * @param rank lower ones come first
     */
    record Task(String client, long passes, long rank, Runnable work) {

        /** @param requestPasses estimated work of all images of the request */
        static Task of(String client, long passes, long requestPasses, Runnable work) {
            return new Task(client, passes, System.nanoTime() + HANDICAP_NANOS * requestPasses, work);
        }

        boolean isSlow() {
            return passes > SLOW_PASSES;
        }
    }

    /**
     * Decodes images and gives them to a queue of the model.
     *
     * @param view how the network sees whole photographs; empty if it sees squares
     * @param input what the queue takes of a decoded image
     */
    private <I, O> CompletableFuture<List<O>> run(
            Lease lease,
            String client,
            List<ImageInput> images,
            long deadline,
            Batcher<I, O> batcher,
            Optional<WholePhoto> view,
            Function<PreparedImage, I> input) {
        ServedModel model = lease.model();
        DecodingRequest request = new DecodingRequest(
                lease,
                images,
                view,
                decoder,
                nanos -> metrics.stage(RequestStage.DECODE, model.spec().toString(), nanos));
        Batcher<I, O>.Reservation places;
        List<Task> tasks;
        try {
            tasks = tasks(client, images, view, request);
            places = reserve(batcher, tasks, deadline);
        } catch (RuntimeException | Error e) {
            request.leave();
            throw e;
        }
        CompletableFuture<List<O>> answer = request.images()
                .whenComplete((prepared, failure) -> {
                    if (failure != null) {
                        decoding.remove(tasks);
                    }
                })
                .thenCompose(
                        prepared -> places.submit(prepared.stream().map(input).toList()))
                .whenComplete((readings, failure) -> {
                    places.close(); // else the model would wait for these images for ever when it is freed
                    request.leave();
                });
        try {
            Runnable expire = () -> request.fail(new RequestException(
                    RequestException.TOO_LATE,
                    "the deadline passed while the images were decoded; send smaller images, or try again later"));
            Future<?> alarm = clock.schedule(expire, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            var unused = request.images().whenComplete((prepared, failure) -> alarm.cancel(false));
            decoding.add(tasks);
        } catch (RuntimeException | Error e) { // such as a pipeline that was closed a moment ago
            request.fail(e);
        }
        return answer;
    }

    private List<Task> tasks(
            String client, List<ImageInput> images, Optional<WholePhoto> view, DecodingRequest request) {
        long[] passes = images.stream().mapToLong(image -> passes(image, view)).toArray();
        long sum = LongStream.of(passes).sum();
        if (sum > maxPasses) {
            throw new RequestException(
                    413,
                    "reading these images takes about " + sum + " pixel passes, but a request may take at most "
                            + maxPasses + "; send fewer or smaller images, or save them as baseline JPEG");
        }
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < passes.length; i++) {
            int place = i;
            tasks.add(Task.of(client, passes[i], sum, () -> request.decode(place)));
        }
        return tasks;
    }

    private long passes(ImageInput image, Optional<WholePhoto> view) {
        LongBinaryOperator network = (width, height) ->
                view.map(whole -> networkPasses(whole.pixels(width, height))).orElse(0L);
        if (image instanceof ImageInput.Encoded file) {
            return decoder.work(file.content(), network);
        }
        RgbImage pixels = ((ImageInput.Pixels) image).image();
        return (long) pixels.width() * pixels.height() + network.applyAsLong(pixels.width(), pixels.height());
    }

    /** The time of the network depends on the photograph, and so does the memory while it waits. */
    private long networkPasses(long pixels) {
        long most = Math.min(WholePhoto.MAX_PIXELS, maxPasses / WHOLE_PASSES);
        if (pixels > most) {
            throw new RequestException(
                    413,
                    "the model looks at the whole photograph, which has " + pixels
                            + " pixels in the size that the model sees, and the server takes at most " + most
                            + "; send a smaller photograph, or raise limits.pixelPasses");
        }
        return WHOLE_PASSES * pixels;
    }

    /** Expensive requests share one half of the places, since they may hold them until their deadline. */
    private static <I, O> Batcher<I, O>.Reservation reserve(Batcher<I, O> batcher, List<Task> tasks, long deadline) {
        int queue = batcher.limits().queue();
        long sum = tasks.stream().mapToLong(Task::passes).sum();
        if (sum <= SLOW_PASSES) {
            return batcher.reserve(tasks.size(), deadline, queue);
        }
        int half = Math.max(1, queue / 2);
        if (tasks.size() > half) {
            throw new RequestException(
                    413,
                    "these images take long to read (" + sum + " pixel passes), and a request may have at most " + half
                            + " such images; send fewer images in one request");
        }
        return batcher.reserve(tasks.size(), deadline, half);
    }

    @Override
    public void close() {
        decoding.close();
        clock.shutdown(); // deadlines of pending requests still apply
    }

    /**
     * The images of one request while they are decoded, on several threads. The request may be answered earlier, because its
     * deadline has passed or another image of it is broken: then decoders stop as soon as they can. The model remains leased until
     * the request has been answered and the last decoder has stopped.
     */
    private static final class DecodingRequest {

        private final Lease lease;
        private final List<ImageInput> images;
        private final Optional<WholePhoto> view;
        private final ImageDecoder decoder;
        private final LongConsumer decodeNanos;
        private final CompletableFuture<List<PreparedImage>> all = new CompletableFuture<>();
        private final @Nullable PreparedImage[] prepared;
        private int missing;
        private long nanos;

        /** Decoders that run, and 1 for the request itself. */
        private int users = 1;

        /** @param decodeNanos gets the time of all decoders together, once all images are decoded */
        DecodingRequest(
                Lease lease,
                List<ImageInput> images,
                Optional<WholePhoto> view,
                ImageDecoder decoder,
                LongConsumer decodeNanos) {
            this.lease = lease;
            this.images = images;
            this.view = view;
            this.decoder = decoder.cancelledBy(all::isDone);
            this.decodeNanos = decodeNanos;
            this.prepared = new PreparedImage[images.size()];
            this.missing = images.size();
        }

        /** All images in the order of the request, or the first failure. */
        CompletableFuture<List<PreparedImage>> images() {
            return all;
        }

        /** Fails unless all images are decoded already; decoders that have not started do nothing. */
        void fail(Throwable reason) {
            all.completeExceptionally(reason);
        }

        /** Decodes one image; does nothing if the request has been answered. */
        void decode(int place) {
            if (!enter()) {
                return;
            }
            try {
                long start = System.nanoTime();
                PreparedImage image = prepare(images.get(place));
                put(place, image, System.nanoTime() - start);
            } catch (RuntimeException | Error failure) {
                all.completeExceptionally(failure);
            } finally {
                leave();
            }
        }

        private PreparedImage prepare(ImageInput image) {
            PreparedImage one = view.map(whole -> whole(image, whole)).orElseGet(() -> squares(image));
            one.rejected().ifPresent(rejected -> {
                throw rejected.reason() == Rejection.CANCELLED ? RequestException.late() : rejected(rejected);
            });
            return one;
        }

        private PreparedImage whole(ImageInput image, WholePhoto whole) {
            return image instanceof ImageInput.Encoded file
                    ? PreparedImage.whole(whole, reduction -> decoder.decode(file.content(), reduction))
                    : PreparedImage.whole(whole.resized(((ImageInput.Pixels) image).image()));
        }

        private PreparedImage squares(ImageInput image) {
            BatchPredictor predictor = lease.model().predictor();
            return image instanceof ImageInput.Encoded file
                    ? predictor.prepare(file.content(), decoder)
                    : predictor.prepare(((ImageInput.Pixels) image).image());
        }

        /** Why an image could not be read. */
        private static RequestException rejected(Decoded.Rejected rejected) {
            int status = switch (rejected.reason()) {
                case TOO_MANY_BYTES, TOO_MANY_PIXELS -> 413;
                case UNKNOWN_FORMAT, UNSUPPORTED, NEEDS_CONVERTER -> 415;
                case OUT_OF_MEMORY -> 503;
                default -> 400;
            };
            return new RequestException(status, "not an image that can be used: " + rejected.sentence());
        }

        private void put(int place, PreparedImage image, long took) {
            synchronized (this) {
                prepared[place] = image;
                nanos += took;
                if (--missing > 0) {
                    return;
                }
            }
            decodeNanos.accept(nanos);
            all.complete(Arrays.stream(prepared).map(Objects::requireNonNull).toList());
        }

        private synchronized boolean enter() {
            if (all.isDone()) {
                return false;
            }
            users++;
            return true;
        }

        /** A decoder has stopped, or the request has been answered. */
        void leave() {
            synchronized (this) {
                if (--users > 0) {
                    return;
                }
            }
            lease.close();
        }
    }

    /**
     * The images that wait, and the threads that decode them, one per core and at least two. First comes the client that has
     * received the least work, so that no client takes all threads from the others. Of one client's images, those of cheap
     * requests come first, since hostile and honest requests may share an address, as with a proxy. One thread never takes a slow
     * image: a decoder in native code cannot be stopped, so images that take seconds could otherwise hold all threads while cheap
     * ones wait.
     */
    static final class DecodingQueue implements AutoCloseable {

        private static final int MIN_THREADS = 2;

        private final Map<String, Client> clients = new HashMap<>();
        private long received;
        private int maxSlow = Integer.MAX_VALUE;
        private int slow;
        private boolean closed;

        /** Starts the threads; a queue without threads is for tests. */
        DecodingQueue start(int cores) {
            int threads = Math.max(MIN_THREADS, cores);
            maxSlow = threads - 1;
            for (int i = 1; i <= threads; i++) {
                Thread thread = new Thread(this::runAll, "decode-" + i);
                thread.setDaemon(true);
                thread.start();
            }
            return this;
        }

        private void runAll() {
            for (Task task = take(); task != null; task = take()) {
                try {
                    task.work().run();
                } finally {
                    finished(task);
                }
            }
        }

        /** Waits for the next image; null when there will be none. */
        private synchronized @Nullable Task take() {
            boolean interrupted = false;
            Task task = next(slow < maxSlow);
            while (task == null && !(closed && isEmpty())) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true; // it ends only when the queue is closed
                }
                task = next(slow < maxSlow);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return task;
        }

        /** Images of one client, and the work that it has received since it was last idle. */
        private static final class Client {

            // By difference: the time of System.nanoTime may overflow.
            private static final Comparator<Task> ORDER = (one, other) -> Long.signum(one.rank() - other.rank());

            final PriorityQueue<Task> quick = new PriorityQueue<>(ORDER);
            final PriorityQueue<Task> slow = new PriorityQueue<>(ORDER);
            long received;
            int running;

            Client(long received) {
                this.received = received;
            }

            PriorityQueue<Task> queueOf(Task task) {
                return task.isSlow() ? slow : quick;
            }

            /** Its first image; null if there is none that may start. */
            @Nullable
            Task first(boolean slowToo) {
                Task cheap = quick.peek();
                Task expensive = slowToo ? slow.peek() : null;
                if (cheap == null || expensive == null) {
                    return cheap == null ? expensive : cheap;
                }
                return ORDER.compare(expensive, cheap) < 0 ? expensive : cheap;
            }

            boolean isIdle() {
                return running == 0 && quick.isEmpty() && slow.isEmpty();
            }
        }

        /** Queues images, all of them or none. Their work must not throw. */
        synchronized void add(List<Task> tasks) {
            if (closed) {
                throw new RejectedExecutionException("the server is closed and decodes no more images");
            }
            for (Task task : tasks) {
                // A new client starts level with those that are served now: it neither waits for them nor overtakes for
                // long.
                Client client = clients.computeIfAbsent(task.client(), name -> new Client(received));
                client.queueOf(task).add(task);
            }
            notifyAll();
        }

        /** Removes images that have not been started. */
        synchronized void remove(List<Task> tasks) {
            for (Task task : tasks) {
                Client client = clients.get(task.client());
                if (client != null) {
                    client.queueOf(task).remove(task);
                    forgetIfIdle(task.client(), client);
                }
            }
            notifyAll();
        }

        /** Takes the next image; null if there is none that may start. The caller reports its end by {@link #finished}. */
        synchronized @Nullable Task next(boolean slowToo) {
            Client chosen = null;
            Task first = null;
            for (Client client : clients.values()) {
                Task candidate = client.first(slowToo);
                if (candidate != null && (chosen == null || client.received < chosen.received)) {
                    chosen = client;
                    first = candidate;
                }
            }
            if (chosen != null && first != null) {
                received = chosen.received;
                chosen.received += first.passes() + 1;
                chosen.running++;
                chosen.queueOf(first).remove();
                slow += first.isSlow() ? 1 : 0;
            }
            return first;
        }

        synchronized void finished(Task task) {
            slow -= task.isSlow() ? 1 : 0;
            Client client = clients.get(task.client());
            if (client != null) {
                client.running--;
                forgetIfIdle(task.client(), client);
            }
            notifyAll();
        }

        private void forgetIfIdle(String name, Client client) {
            if (client.isIdle()) {
                clients.remove(name);
            }
        }

        synchronized boolean isEmpty() {
            return clients.values().stream().allMatch(client -> client.quick.isEmpty() && client.slow.isEmpty());
        }

        /** Takes no more images and finishes those it has. */
        @Override
        public synchronized void close() {
            closed = true;
            notifyAll();
        }
    }
}
