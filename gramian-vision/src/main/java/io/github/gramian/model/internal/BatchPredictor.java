package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.ImageWorkers;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Reading;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * Inference with a trained model on prepared images and in batches, with everything that the programs need to know about the
 * model; {@link io.github.gramian.model.Predictor} is the part of it for users. Safe for use by many threads; only {@link
 * #close} must come last.
 */
public final class BatchPredictor implements AutoCloseable {

    private static final float[] NO_DESCRIPTOR = {};

    private final Shared shared;
    private final Inference inference;
    private final ModelCertainty reference;
    private final List<Preprocessing> preprocessing;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();
    private final ImageDecoder untrusted = new ImageDecoder(ImageLimits.DEFAULT);
    private final AtomicBoolean closed = new AtomicBoolean();

    private BatchPredictor(Shared shared, List<Preprocessing> preprocessing) {
        this.shared = shared;
        this.inference = shared.inference;
        this.reference = inference.reference();
        this.preprocessing = preprocessing;
    }

    /** A loaded model that several predictors use; the last of them frees it. */
    private static final class Shared {

        private final Inference inference;
        private final AtomicInteger users = new AtomicInteger(1);

        Shared(Inference inference) {
            this.inference = inference;
        }

        /** The same model for one more user, who must release it. */
        Shared retained() {
            users.updateAndGet(count -> {
                if (count == 0) {
                    throw new IllegalStateException("the model is closed; load it again");
                }
                return count + 1;
            });
            return this;
        }

        /** Called once by each user. The last one also returns the freed memory to the system, since malloc would retain it. */
        void release() {
            if (users.decrementAndGet() == 0) {
                inference.close();
                Pointer.trimMemory();
            }
        }
    }

    /** A predictor that frees the model when it is closed, unless others share it. */
    public static BatchPredictor on(Inference inference) {
        return new BatchPredictor(new Shared(inference), inference.description().preprocessing());
    }

    /**
     * Loads a model whose file holds its backbone, on the CPU, in the precision that it was trained with. An ONNX file that
     * {@code gramian export} has written runs on ONNX Runtime, in float, if {@code gramian-onnx} is on the class path.
     */
    public static BatchPredictor load(Path model) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        return on(other.isPresent() ? other.get().load(model) : onLibTorch(model, null));
    }

    /** The same with a number of threads for an ONNX file. LibTorch uses the number that the calling thread has set. */
    public static BatchPredictor load(Path model, int threads) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        return on(other.isPresent() ? other.get().load(model, threads) : onLibTorch(model, null));
    }

    /**
     * The same with the backbone in another precision: float where predictions must not depend on the machine's rounding.
     */
    public static BatchPredictor load(Path model, Precision precision) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        if (other.isEmpty()) {
            return on(onLibTorch(model, precision));
        }
        Inference inference = other.get().load(model);
        if (inference.precision() != precision) {
            inference.close();
            throw new ModelException(model + " computes in "
                    + inference.precision().name().toLowerCase(Locale.ROOT) + ", not in "
                    + precision.name().toLowerCase(Locale.ROOT)
                    + "; leave out the precision, or give the model.gramian that it was exported from");
        }
        return on(inference);
    }

    /** Loads a model for a backbone that the caller provides; the predictor closes it. */
    public static BatchPredictor load(Path model, Backbone backbone) throws IOException {
        if (InferenceProvider.of(model).isPresent()) {
            throw new ModelException(model + " holds its backbone; load it without another");
        }
        return on(TorchInference.withBackbone(model, backbone));
    }

    /** An installation for ONNX files alone has no LibTorch. */
    private static Inference onLibTorch(Path model, @Nullable Precision precision) throws IOException {
        if (BatchPredictor.class.getResource("/org/bytedeco/pytorch/Tensor.class") == null) {
            throw new ModelException(
                    model + " needs LibTorch (org.bytedeco's pytorch and openblas), which is not on the"
                            + " class path; add it, or give an ONNX file made by: gramian export");
        }
        return TorchInference.load(model, precision);
    }

    /**
     * A predictor with other crops of an image, such as five. It shares this one's model, and each of the two remains usable
     * after the other was closed.
     */
    public BatchPredictor withCrops(List<Crop> crops) {
        requireOpen();
        List<Preprocessing> others =
                preprocessing.stream().map(one -> one.withCrops(crops)).toList();
        return new BatchPredictor(shared.retained(), others);
    }

    /**
     * A predictor that corrupts each view of an image, to measure how robust the model is. It shares this one's model as {@link
     * #withCrops} does.
     *
     * @param crop another crop of an image; null for this predictor's
     */
    public BatchPredictor withCorruption(@Nullable Crop crop, Corruption corruption) {
        requireOpen();
        Augmentation change = Augmentation.corruption(corruption.type().key(), corruption.severity());
        List<Preprocessing> others = preprocessing.stream()
                .map(one -> crop == null ? one : one.withCrops(List.of(crop)))
                .map(one -> one.withAugmentations(List.of(change)))
                .toList();
        return new BatchPredictor(shared.retained(), others);
    }

    /** Backbone and network, for explanations; empty on an engine that computes no gradients. */
    public Optional<Inference.Differentiable> differentiable() {
        requireOpen();
        return inference.differentiable();
    }

    public ModelDescription description() {
        return inference.description();
    }

    /** The precision of the backbone's activations. */
    public Precision precision() {
        return inference.precision();
    }

    /** One line about engine and hardware, for evaluation protocols. */
    public String engine() {
        return inference.engine();
    }

    /** The images that training has used; none if the file does not list them. */
    public KnownImages knownImages() {
        return inference.knownImages();
    }

    /** What the model stores about its training images. */
    public ModelCertainty reference() {
        return inference.reference();
    }

    /** Names of the classes, in the order of the probabilities. */
    public List<String> classes() {
        return description().classes();
    }

    public int descriptorLength() {
        return findsDefects()
                ? 1
                : description().network().descriptorLength(description().inputChannels());
    }

    /**
     * The prediction for one file. A large JPEG is decoded in reduced size, as it is for training, which takes a fraction of the
     * time.
     *
     * @throws ModelException if the file is not an image that can be read; the message gives the reason
     */
    public Prediction predict(Path file) throws IOException {
        return predicted(file.toString(), decoder.open(file)).withImage(file.toString());
    }

    /**
     * The prediction for a file's content, such as an upload. Limits, decoding and probabilities are those of {@link
     * #predict(Path)}. HEIC and AVIF are rejected, since Gramian starts no other program for bytes that may be untrusted.
     *
     * @throws ModelException if the content is not an image that can be read; the message gives the reason
     */
    public Prediction predict(byte[] content) throws IOException {
        return predicted("the image", reduction -> untrusted.decode(content, reduction));
    }

    private Prediction predicted(String name, Function<Reduction, Decoded> decode) throws ModelException {
        PreparedImage image = decoded(decode);
        if (image.rejected().isPresent()) {
            throw new ModelException(name + ": " + image.rejected().get().sentence());
        }
        return read(List.of(image)).get(0).prediction();
    }

    /** The prediction for a file's content, of which at most one byte more than the limit is read. */
    public Prediction predict(InputStream content) throws IOException {
        return predict(content.readNBytes((int) Math.min(ImageLimits.DEFAULT.maxBytes() + 1, Integer.MAX_VALUE - 8)));
    }

    /** The prediction for pixels as they are. */
    public Prediction predictPixels(RgbImage image) {
        return read(List.of(prepare(image))).get(0).prediction();
    }

    /** The descriptor of pixels as they are. */
    public float[] describePixels(RgbImage image) {
        return read(List.of(prepare(image))).get(0).descriptor();
    }

    /** Cuts, scales and normalises pixels as they are. */
    public PreparedImage prepare(RgbImage image) {
        return findsDefects()
                ? PreparedImage.whole(photographs().orElseThrow().view().resized(image))
                : PreparedImage.of(preprocessing, inference.channelOrder(), image);
    }

    /** Decodes a file, cuts, scales and normalises it. */
    public PreparedImage prepare(Path file) {
        return decoded(decoder.open(file));
    }

    /** Decodes a file's content, cuts, scales and normalises it; it is not needed any more afterwards. */
    public PreparedImage prepare(byte[] content, ImageDecoder by) {
        return decoded(reduction -> by.decode(content, reduction));
    }

    private PreparedImage decoded(Function<Reduction, Decoded> decode) {
        return findsDefects()
                ? PreparedImage.whole(photographs().orElseThrow().view(), decode)
                : PreparedImage.decoded(preprocessing, inference.channelOrder(), decode);
    }

    /** The part of the model that looks at whole photographs; empty if it was trained without. */
    public Optional<PhotoReader> photographs() {
        return inference.photographs();
    }

    /** Whether the model knows good parts only, so that its predictions are {@code good} and {@code defect}. */
    public boolean findsDefects() {
        return photographs().filter(PhotoReader::findsDefects).isPresent();
    }

    /**
     * Probabilities and descriptors of some images at once, in their order.
     *
     * @param images none of which was {@linkplain PreparedImage#rejected rejected}
     */
    public List<Reading> read(List<PreparedImage> images) {
        return read(Collections.nCopies(images.size(), ""), images, true);
    }

    /** The same under given names, with descriptors only if they are wanted. */
    private List<Reading> read(List<String> names, List<PreparedImage> images, boolean describe) {
        if (images.isEmpty()) {
            return List.of();
        }
        requireOpen();
        if (findsDefects()) {
            return IntStream.range(0, names.size())
                    .mapToObj(i -> judged(names.get(i), images.get(i).photograph()))
                    .toList();
        }
        requireBatch(images.size());
        List<InputPixels> inputs = IntStream.range(0, preprocessing.size())
                .mapToObj(scale -> new InputPixels(
                        images.stream().map(image -> image.scale(scale)).toList(),
                        preprocessing.get(scale).size(),
                        inference.channelOrder()))
                .toList();
        Inference.Answers answers = inference.answers(
                inputs,
                preprocessing.get(0).views(),
                describe || reference.novelty().isPresent());
        return IntStream.range(0, names.size())
                .mapToObj(i -> reading(names.get(i), answers.probabilities()[i], answers.descriptors()[i], describe))
                .toList();
    }

    /** Good or defect; the descriptor is the score of the photograph alone. */
    private Reading judged(String name, RgbImage photograph) {
        PhotoReader.PhotoMap map = photographs().orElseThrow().read(photograph);
        Calibration.Scores scores = map.scores().orElseThrow();
        if (!Float.isFinite(scores.photograph())) {
            return Reading.rejected(name, "the network's answer is NaN or infinite");
        }
        float defect = scores.isDefect() ? 1 : 0;
        Prediction prediction =
                Prediction.of(name, classes(), new float[] {1 - defect, defect}).withNovelty(scores.pValue());
        return new Reading(
                map.regions().stream().findFirst().map(prediction::withRegion).orElse(prediction),
                new float[] {scores.photograph()});
    }

    /** An image for which the network computes NaN or infinity has no answer: NaN would look like any other answer. */
    private Reading reading(String name, float[] probabilities, float[] descriptor, boolean describe) {
        if (!isFinite(probabilities) || !isFinite(descriptor)) {
            return Reading.rejected(name, "the network's answer is NaN or infinite");
        }
        return new Reading(prediction(name, probabilities, descriptor), describe ? descriptor : NO_DESCRIPTOR);
    }

    private Prediction prediction(String name, float[] probabilities, float[] descriptor) {
        Prediction prediction = Prediction.of(name, classes(), probabilities);
        if (reference.sets().isPresent()) {
            prediction = prediction.withSets(reference.sets().get());
        }
        return reference.novelty().isPresent()
                ? prediction.withNovelty(reference.novelty().get().pValue(descriptor))
                : prediction;
    }

    private static boolean isFinite(float[] values) {
        for (float number : values) {
            if (!Float.isFinite(number)) {
                return false;
            }
        }
        return true;
    }

    /** Refuses a batch whose views would not fit into an array. */
    private void requireBatch(int images) {
        ViewBudget.require(preprocessing, images);
    }

    /** Predictions for many files, in their order; files that are not images are rejected predictions. */
    public void predict(List<Path> files, LoaderSettings settings, Consumer<Prediction> receiver) {
        readAll(named(files.stream()), files.size(), settings, false, reading -> receiver.accept(reading.prediction()));
    }

    /** The same with the descriptors. */
    public void describe(List<Path> files, LoaderSettings settings, Consumer<Reading> receiver) {
        readAll(named(files.stream()), files.size(), settings, true, receiver);
    }

    /** Predictions for images that are not files, each named by its number. */
    public void predict(ImageSource images, LoaderSettings settings, Consumer<Prediction> receiver) {
        Stream<Named> named = IntStream.range(0, images.count())
                .mapToObj(i -> new Named(Integer.toString(i), () -> decoded(reduction -> images.load(i, reduction))));
        readAll(named, images.count(), settings, false, reading -> receiver.accept(reading.prediction()));
    }

    /**
     * The readings of a stream of files, in its order, computed batch by batch as they are consumed.
     *
     * @param files is closed with the result
     * @param describe whether descriptors are wanted
     */
    public Stream<Reading> stream(Stream<Path> files, BatchOptions options, boolean describe) {
        requireBatch(options.batch());
        ReadingLoop loop = new ReadingLoop(
                named(files).iterator(), options.batch(), options.workers(), options.lookAhead(), describe);
        int traits = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(loop, traits), false)
                .onClose(loop::close)
                .onClose(files::close);
    }

    private Stream<Named> named(Stream<Path> files) {
        return files.map(file -> new Named(file.toString(), () -> prepare(file)));
    }

    private void readAll(
            Stream<Named> images, int count, LoaderSettings settings, boolean describe, Consumer<Reading> receiver) {
        requireBatch(Math.min(settings.batchSize(), count));
        int lookAhead = settings.prefetch() + 1; // the batch that the network reads counts as well
        try (ReadingLoop loop =
                new ReadingLoop(images.iterator(), settings.batchSize(), settings.workers(), lookAhead, describe)) {
            loop.forEachRemaining(receiver);
        }
    }

    /** An image and the name of its prediction. */
    private record Named(String name, Callable<PreparedImage> image) {}

    /** An image on its way to the network. */
    private record Waiting(String name, Future<PreparedImage> image) {}

    /**
     * One reading per image, in the order of the images, computed batch by batch as they are consumed. Workers decode a bounded
     * number of batches in advance. An image that cannot be read becomes a rejected reading.
     */
    private final class ReadingLoop implements Iterator<Reading>, AutoCloseable {

        private final Iterator<Named> images;
        private final int batchSize;
        private final int lookAhead;
        private final boolean describe;
        private final ExecutorService workers;
        private final Deque<List<Waiting>> ahead = new ArrayDeque<>();
        private final Deque<Reading> ready = new ArrayDeque<>();

        ReadingLoop(Iterator<Named> images, int batchSize, int threads, int lookAhead, boolean describe) {
            this.images = images;
            this.batchSize = batchSize;
            this.lookAhead = lookAhead;
            this.describe = describe;
            this.workers = ImageWorkers.start(threads);
        }

        @Override
        public boolean hasNext() {
            if (!ready.isEmpty()) {
                return true;
            }
            while (ahead.size() < lookAhead && images.hasNext()) {
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
                throw new NoSuchElementException("all images were read");
            }
            return ready.remove();
        }

        private List<Waiting> nextBatch() {
            List<Waiting> batch = new ArrayList<>();
            while (batch.size() < batchSize && images.hasNext()) {
                Named image = images.next();
                batch.add(new Waiting(image.name(), workers.submit(image.image())));
            }
            return batch;
        }

        /** The readings of a batch in the order of its images, of which some may be rejected. */
        private void read(List<Waiting> batch) {
            List<String> names = new ArrayList<>();
            List<PreparedImage> readable = new ArrayList<>();
            List<PreparedImage> all = new ArrayList<>();
            for (Waiting waiting : batch) {
                PreparedImage image = ImageWorkers.await(waiting.image(), this::close);
                all.add(image);
                if (image.rejected().isEmpty()) {
                    names.add(waiting.name());
                    readable.add(image);
                }
            }
            Iterator<Reading> readings =
                    BatchPredictor.this.read(names, readable, describe).iterator();
            for (int i = 0; i < all.size(); i++) {
                String name = batch.get(i).name();
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

    /** Without this, the engine would read freed memory. */
    private void requireOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the predictor is closed; load the model again");
        }
    }

    /** Frees the model, unless another predictor shares it. Closing twice has no effect. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            shared.release();
        }
    }
}
