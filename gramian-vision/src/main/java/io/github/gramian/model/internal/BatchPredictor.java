package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
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
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Reading;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Inference with a trained model on prepared images and in batches, with everything that the programs need to know about the
 * model; {@link io.github.gramian.model.Predictor} is the part of it for users. Safe for use by many threads; only {@link
 * #close} must come last.
 */
public final class BatchPredictor implements AutoCloseable {

    private final SharedInference shared;
    private final Inference inference;
    private final Readings readings;
    private final List<Preprocessing> preprocessing;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();
    private final ImageDecoder untrusted = new ImageDecoder(ImageLimits.DEFAULT);
    private final AtomicBoolean closed = new AtomicBoolean();

    private BatchPredictor(SharedInference shared, List<Preprocessing> preprocessing) {
        this.shared = shared;
        this.inference = shared.inference();
        this.readings = new Readings(inference);
        this.preprocessing = preprocessing;
    }

    /** A predictor that frees the model when it is closed, unless others share it. */
    public static BatchPredictor on(Inference inference) {
        return new BatchPredictor(
                new SharedInference(inference), inference.description().preprocessing());
    }

    /**
     * Loads a model whose file holds its backbone, on the CPU, in the precision that it was trained with. An ONNX file that
     * {@code gramian export} has written runs on ONNX Runtime, in float, if {@code gramian-onnx} is on the class path.
     */
    public static BatchPredictor load(Path model) throws IOException {
        return on(InferenceLoading.load(model));
    }

    /** The same with a number of threads for an ONNX file. LibTorch uses the number that the calling thread has set. */
    public static BatchPredictor load(Path model, int threads) throws IOException {
        return on(InferenceLoading.load(model, threads));
    }

    /**
     * The same with the backbone in another precision: float where predictions must not depend on the machine's rounding.
     */
    public static BatchPredictor load(Path model, Precision precision) throws IOException {
        return on(InferenceLoading.load(model, precision));
    }

    /** Loads a model for a backbone that the caller provides; the predictor closes it. */
    public static BatchPredictor load(Path model, Backbone backbone) throws IOException {
        return on(InferenceLoading.load(model, backbone));
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
    public Optional<Differentiable> differentiable() {
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

    /** What the model stores about its training images; empty for models of earlier versions. */
    public ModelReference reference() {
        return inference.reference();
    }

    /** Names of the classes, in the order of the probabilities. */
    public List<String> classes() {
        return description().classes();
    }

    public int descriptorLength() {
        return description().network().descriptorLength(description().inputChannels());
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
        PreparedImage image = PreparedImage.decoded(preprocessing, inference.channelOrder(), decode);
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
        return PreparedImage.of(preprocessing, inference.channelOrder(), image);
    }

    /** Decodes a file, cuts, scales and normalises it. */
    public PreparedImage prepare(Path file) {
        return PreparedImage.decoded(preprocessing, inference.channelOrder(), decoder.open(file));
    }

    /** Decodes a file's content, cuts, scales and normalises it; it is not needed any more afterwards. */
    public PreparedImage prepare(byte[] content, ImageDecoder by) {
        return PreparedImage.decoded(
                preprocessing, inference.channelOrder(), reduction -> by.decode(content, reduction));
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
    List<Reading> read(List<String> names, List<PreparedImage> images, boolean describe) {
        if (images.isEmpty()) {
            return List.of();
        }
        requireBatch(images.size());
        List<InputPixels> inputs = IntStream.range(0, preprocessing.size())
                .mapToObj(scale -> new InputPixels(
                        images.stream().map(image -> image.scale(scale)).toList(),
                        preprocessing.get(scale).size(),
                        inference.channelOrder()))
                .toList();
        return readings(names, inputs, describe);
    }

    /** Refuses a batch whose views would not fit into an array. */
    void requireBatch(int images) {
        ViewBudget.require(preprocessing, images);
    }

    /** Predictions for many files, in their order; files that are not images are rejected predictions. */
    public void predict(List<Path> files, LoaderSettings settings, Consumer<Prediction> receiver) {
        readFiles(files, settings, false, reading -> receiver.accept(reading.prediction()));
    }

    /** The same with the descriptors. */
    public void describe(List<Path> files, LoaderSettings settings, Consumer<Reading> receiver) {
        readFiles(files, settings, true, receiver);
    }

    /** Predictions for images that are not files, each named by its number. */
    public void predict(ImageSource images, LoaderSettings settings, Consumer<Prediction> receiver) {
        readAll(images, Integer::toString, settings, false, reading -> receiver.accept(reading.prediction()));
    }

    private void readFiles(List<Path> files, LoaderSettings settings, boolean describe, Consumer<Reading> receiver) {
        readAll(ImageSource.ofFiles(files, decoder), i -> files.get(i).toString(), settings, describe, receiver);
    }

    private void readAll(
            ImageSource source,
            IntFunction<String> names,
            LoaderSettings settings,
            boolean describe,
            Consumer<Reading> receiver) {
        requireBatch(Math.min(settings.batchSize(), source.count()));
        LoaderSettings own = settings.withChannelOrder(inference.channelOrder());
        new ReadingLoop(source, names, preprocessing, own)
                .run((chosen, inputs) -> readings(chosen, inputs, describe), receiver);
    }

    /** The readings of images that are the network's input already. */
    private List<Reading> readings(List<String> names, List<InputPixels> inputs, boolean describe) {
        requireOpen();
        return readings.of(names, inputs, preprocessing.get(0).views(), describe);
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
