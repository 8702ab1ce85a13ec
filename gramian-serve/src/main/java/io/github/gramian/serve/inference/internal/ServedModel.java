package io.github.gramian.serve.inference.internal;

import com.sun.management.OperatingSystemMXBean;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.dense.internal.PhotoReader.PhotoMap;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.Batcher.BatchListener;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A loaded model with its batches. It counts its users and is freed when it has been retired and the last of them has
 * gone.
 */
public final class ServedModel {

    private final ModelSpec spec;
    private final String sha256;
    private final BatchPredictor predictor;
    private final Batcher<PreparedImage, Reading> batcher;
    private final @Nullable Batcher<Question, Explanation> explanations;
    private final @Nullable Batcher<PreparedImage, Mapped> maps;
    private final CountDownLatch freed = new CountDownLatch(1);

    /** Users, and 1 for the repository. */
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * An image to explain.
     *
     * @param subject index of the class; empty for the predicted one
     */
    public record Question(PreparedImage image, Optional<Integer> subject) {}

    /** A photograph as the network saw all of it, and its map. */
    public record Mapped(RgbImage photograph, PhotoMap map) {}

    private ServedModel(
            ModelSpec spec, String sha256, BatchPredictor predictor, BatchLimits limits, BatchListener listener) {
        this.spec = spec;
        this.sha256 = sha256;
        this.predictor = predictor;
        this.batcher = new Batcher<>(spec.toString(), limits, predictor::read, listener);
        this.explanations = Explainer.of(predictor)
                .map(explainer -> explanations(spec, limits, explainer))
                .orElse(null);
        this.maps = predictor
                .photographs()
                .map(reader -> maps(spec, limits, reader))
                .orElse(null);
    }

    /** Explanations have their own queue and thread, one image at a time, so that predictions do not wait for them. */
    private static Batcher<Question, Explanation> explanations(
            ModelSpec spec, BatchLimits limits, Explainer explainer) {
        return new Batcher<>(
                spec + "-where",
                new BatchLimits(1, Duration.ZERO, limits.queue()),
                questions -> questions.stream()
                        .map(one -> explainer
                                .explain(one.image(), one.subject().stream().toList())
                                .get(0))
                        .toList(),
                new BatchListener() {});
    }

    /** Maps have their own queue and thread, one photograph at a time, so that predictions do not wait for them. */
    private static Batcher<PreparedImage, Mapped> maps(ModelSpec spec, BatchLimits limits, PhotoReader reader) {
        return new Batcher<>(
                spec + "-map",
                new BatchLimits(1, Duration.ZERO, limits.queue()),
                photographs -> photographs.stream()
                        .map(PreparedImage::photograph)
                        .map(photograph -> new Mapped(photograph, reader.read(photograph)))
                        .toList(),
                new BatchListener() {});
    }

    /**
     * Loads a model and runs it once with one image and once with a full batch, so that the first request is not slow. The file
     * must be regular and fit into memory. It is hashed last: a file that is not a model is refused after its first bytes.
     */
    static ServedModel load(ModelSpec spec, BatchLimits limits, BatchListener listener) throws IOException {
        Path file = spec.modelFile();
        FileStamp stamp = FileStamp.readable(file, memory());
        BatchPredictor predictor = BatchPredictor.load(file);
        try {
            String sha256 = new Sha256().add(file).hex();
            if (!FileStamp.of(file).equals(stamp)) {
                throw new IOException(
                        file + " was changed while it was read; write models under another name next to it,"
                                + " then rename them");
            }
            List<Preprocessing> preprocessing = predictor.description().preprocessing();
            // Whole photographs are read one by one, so the others of a batch would only delay an answer.
            BatchLimits fitting = limits.atMost(predictor.findsDefects() ? 1 : ViewBudget.largestBatch(preprocessing));
            int side = preprocessing.get(0).size();
            PreparedImage black = predictor.prepare(RgbImage.black(side, side));
            predictor.read(List.of(black));
            predictor.read(Collections.nCopies(fitting.size(), black));
            return new ServedModel(spec, sha256, predictor, fitting, listener);
        } catch (IOException | RuntimeException | Error failure) {
            predictor.close();
            throw failure;
        }
    }

    /** Bytes of memory of this machine, or of the container in which the server runs. */
    private static long memory() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    public ModelSpec spec() {
        return spec;
    }

    /** SHA-256 of the model's file. */
    public String sha256() {
        return sha256;
    }

    public BatchPredictor predictor() {
        return predictor;
    }

    public Batcher<PreparedImage, Reading> batcher() {
        return batcher;
    }

    /** Images whose contributions are computed; empty if the model cannot be explained. */
    public Optional<Batcher<Question, Explanation>> explanations() {
        return Optional.ofNullable(explanations);
    }

    /** Whole photographs that are mapped; empty if the model has no maps. */
    public Optional<Batcher<PreparedImage, Mapped>> maps() {
        return Optional.ofNullable(maps);
    }

    /** Whether there is one more user now; not if it is being freed. */
    boolean enter() {
        int now = users.get();
        while (now > 0 && !users.compareAndSet(now, now + 1)) {
            now = users.get();
        }
        return now > 0;
    }

    /** A user has gone. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            // Not on this thread, which may be the batcher's own.
            new Thread(this::free, "free-" + spec).start();
        }
    }

    private void free() {
        batcher.close();
        explanations().ifPresent(Batcher::close);
        maps().ifPresent(Batcher::close);
        predictor.close();
        freed.countDown();
    }

    /** Waits until its memory has been given back. */
    public void awaitFreed() throws InterruptedException {
        freed.await();
    }
}
