package io.github.gramian.model;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Crop;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Inference with a trained model: images in, class probabilities or descriptors out. Safe for use by many threads; only
 * {@link #close} must come last. A predictor that was made from another, such as one {@linkplain #withCrops with other
 * crops}, shares its model. Close both, in any order: the model is freed when the last of them is closed.
 */
public final class Predictor implements AutoCloseable {

    private final BatchPredictor batches;

    private Predictor(BatchPredictor batches) {
        this.batches = batches;
    }

    /** A predictor that frees the model when it is closed, unless others share it. */
    static Predictor on(Inference inference) {
        return new Predictor(BatchPredictor.on(inference));
    }

    /**
     * Loads a model whose file holds its backbone, on the CPU, in the precision that it was trained with. An ONNX file that
     * {@code gramian export} has written runs on ONNX Runtime, in float, if {@code gramian-onnx} is on the class path.
     */
    public static Predictor load(Path model) throws IOException {
        return new Predictor(BatchPredictor.load(model));
    }

    /**
     * The same with the backbone in another precision: float where predictions must not depend on the machine's rounding.
     */
    public static Predictor load(Path model, Precision precision) throws IOException {
        return new Predictor(BatchPredictor.load(model, precision));
    }

    /** Loads a model for a backbone that the caller provides; the predictor closes it. */
    public static Predictor load(Path model, Backbone backbone) throws IOException {
        return new Predictor(BatchPredictor.load(model, backbone));
    }

    /**
     * A predictor with other crops of an image, such as five. It shares this one's model, and each of the two remains usable
     * after the other was closed.
     */
    public Predictor withCrops(List<Crop> crops) {
        return new Predictor(batches.withCrops(crops));
    }

    /** The precision of the backbone's activations. */
    public Precision precision() {
        return batches.precision();
    }

    /** One line about engine and hardware, for evaluation protocols. */
    public String engine() {
        return batches.engine();
    }

    /** Names of the classes, in the order of the probabilities. */
    public List<String> classes() {
        return batches.classes();
    }

    /** Dimensions of a descriptor. */
    public int descriptorLength() {
        return batches.descriptorLength();
    }

    /**
     * The prediction for one file. A large JPEG is decoded in reduced size, as it is for training, which takes a fraction of the
     * time.
     *
     * @throws ModelException if the file is not an image that can be read; the message gives the reason
     */
    public Prediction predict(Path file) throws IOException {
        return batches.predict(file);
    }

    /**
     * The prediction for a file's content, such as an upload. Limits, decoding and probabilities are those of {@link
     * #predict(Path)}. HEIC and AVIF are rejected, since Gramian starts no other program for bytes that may be untrusted.
     *
     * @throws ModelException if the content is not an image that can be read; the message gives the reason
     */
    public Prediction predict(byte[] content) throws IOException {
        return batches.predict(content);
    }

    /**
     * The prediction for a file's content, read to its end, as {@link #predict(byte[])} gives it. At most one byte more than
     * the largest file that is allowed is read. The caller closes the stream.
     *
     * @throws ModelException if the content is not an image that can be read, or too large; the message gives the reason
     */
    public Prediction predict(InputStream content) throws IOException {
        return batches.predict(content);
    }

    /**
     * The prediction for pixels as they are. For the pixels of a large JPEG, decoded in full, probabilities differ slightly
     * from those of {@link #predict(Path)}, which decodes such a file in reduced size. To classify files, pass the file or
     * its bytes.
     */
    public Prediction predictPixels(RgbImage image) {
        return batches.predictPixels(image);
    }

    /** The descriptor of pixels as they are, with the same caveat as {@link #predictPixels}; of several views, their mean. */
    public float[] describePixels(RgbImage image) {
        return batches.describePixels(image);
    }

    /**
     * The predictions for many files, in their order, computed as they are consumed. Images are decoded in advance by other
     * threads, but never more than the options allow, so the stream of files may be longer than memory. An image that cannot
     * be read gives a prediction with the {@linkplain Prediction#rejection() reason}, and the stream continues.
     *
     * <pre>{@code
     * try (Stream<Path> files = Files.walk(photos).filter(Files::isRegularFile);
     *         Stream<Prediction> predictions = predictor.predictAll(files, BatchOptions.defaults())) {
     *     predictions.forEach(prediction -> System.out.println(prediction.image() + " " + prediction.label()));
     * }
     * }</pre>
     *
     * @return a sequential stream that closes {@code files} when it is closed
     */
    public Stream<Prediction> predictAll(Stream<Path> files, BatchOptions options) {
        return batches.stream(files, options, false).map(Reading::prediction);
    }

    /** The same with the descriptors. */
    public Stream<Reading> describeAll(Stream<Path> files, BatchOptions options) {
        return batches.stream(files, options, true);
    }

    /** Frees the model, unless another predictor shares it. Closing twice has no effect. */
    @Override
    public void close() {
        batches.close();
    }
}
