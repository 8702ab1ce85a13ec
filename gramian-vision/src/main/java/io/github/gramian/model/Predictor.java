package io.github.gramian.model;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageBatch;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.InferenceProvider;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.model.internal.TorchInference;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.StartupTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Inference with a trained model: images in, class probabilities or descriptors out. Safe for use by many threads; only
 * {@link #close} must come last. A predictor that was made from another, such as one {@linkplain #withCrops with other
 * crops}, shares its model. Close both, in any order: the model is freed when the last of them is closed.
 */
public final class Predictor implements AutoCloseable {

    private static final Seed NO_SEED = new Seed(0);

    private final SharedInference shared;
    private final Inference inference;
    private final List<Preprocessing> preprocessing;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Predictor(SharedInference shared, List<Preprocessing> preprocessing) {
        this.shared = shared;
        this.inference = shared.inference();
        this.preprocessing = preprocessing;
    }

    /** A predictor that frees the model when it is closed, unless others share it. */
    static Predictor on(Inference inference) {
        return new Predictor(
                new SharedInference(inference), inference.description().preprocessing());
    }

    /**
     * Loads a model whose file holds its backbone, on the CPU, in the precision that it was trained with. An ONNX file that
     * {@code gramian export} has written runs on ONNX Runtime, in float, if {@code gramian-onnx} is on the class path.
     */
    public static Predictor load(Path model) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        if (other.isPresent()) {
            return on(other.get().load(model));
        }
        requireEngine(model);
        return on(TorchInference.load(model, null));
    }

    /**
     * The same with the backbone in another precision: float where predictions must not depend on the machine's rounding.
     */
    public static Predictor load(Path model, Precision precision) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        if (other.isEmpty()) {
            requireEngine(model);
            return on(TorchInference.load(model, precision));
        }
        Inference inference = other.get().load(model);
        if (inference.precision() != precision) {
            inference.close();
            throw new ModelException(model + " computes in "
                    + inference.precision().name().toLowerCase(Locale.ROOT) + ", not in "
                    + precision.name().toLowerCase(Locale.ROOT)
                    + "; ask for no precision, or give the model.gramian that it was made from");
        }
        return on(inference);
    }

    /** An installation for ONNX files alone has no LibTorch. */
    private static void requireEngine(Path model) throws ModelException {
        if (Predictor.class.getResource("/org/bytedeco/pytorch/Tensor.class") == null) {
            throw new ModelException(
                    model + " needs LibTorch (org.bytedeco's pytorch and openblas), which is not on the"
                            + " class path; add it, or give an ONNX file made by: gramian export");
        }
    }

    /** Loads a model for a backbone that the caller provides; the predictor closes it. */
    public static Predictor load(Path model, Backbone backbone) throws IOException {
        if (InferenceProvider.of(model).isPresent()) {
            throw new ModelException(model + " holds its backbone; load it without another");
        }
        return on(TorchInference.withBackbone(model, backbone));
    }

    /**
     * A predictor with other crops of an image, such as five. It shares this one's model, and each of the two remains usable
     * after the other was closed.
     */
    public Predictor withCrops(List<Crop> crops) {
        requireOpen();
        List<Preprocessing> others =
                preprocessing.stream().map(one -> one.withCrops(crops)).toList();
        return new Predictor(shared.retained(), others);
    }

    /** The model's description. */
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

    /** The images that training has used; none where the file does not say. */
    public KnownImages knownImages() {
        return inference.knownImages();
    }

    /** Names of the classes, in the order of the probabilities. */
    public List<String> classes() {
        return description().classes();
    }

    /** Dimensions of a descriptor. */
    public int descriptorLength() {
        return description().network().descriptorLength(description().inputChannels());
    }

    /**
     * The prediction for one file.
     *
     * @throws ModelException if the file is not an image; the message says why
     */
    public Prediction predict(Path file) throws IOException {
        PreparedImage image = PreparedImage.decoded(
                preprocessing, inference.channelOrder(), reduction -> decoder.decode(file, reduction));
        if (image.rejected().isPresent()) {
            throw new ModelException(file + ": " + image.rejected().get().sentence());
        }
        return read(List.of(image)).get(0).prediction().withImage(file.toString());
    }

    /** What the model says of an image with all its pixels. */
    public Prediction predict(RgbImage image) {
        return read(List.of(prepare(image))).get(0).prediction();
    }

    /** The descriptor of an image with all its pixels; of several views, their mean. */
    public float[] describe(RgbImage image) {
        return read(List.of(prepare(image))).get(0).descriptor();
    }

    /** Cuts, scales and normalises an image with all its pixels. */
    public PreparedImage prepare(RgbImage image) {
        return PreparedImage.of(preprocessing, inference.channelOrder(), image);
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
        if (images.isEmpty()) {
            return List.of();
        }
        ViewBudget.require(preprocessing, images.size());
        List<InputPixels> inputs = IntStream.range(0, preprocessing.size())
                .mapToObj(scale -> new InputPixels(
                        images.stream().map(image -> image.scale(scale)).toList(),
                        preprocessing.get(scale).size(),
                        inference.channelOrder()))
                .toList();
        return read(Collections.nCopies(images.size(), ""), inputs, true);
    }

    /** What the model says of many files, in their order; files that are not images are rejected predictions. */
    public void predict(List<Path> files, LoaderSettings settings, Consumer<Prediction> receiver) {
        readFiles(files, settings, false, reading -> receiver.accept(reading.prediction()));
    }

    /** The same with the descriptors. */
    public void describe(List<Path> files, LoaderSettings settings, Consumer<Reading> receiver) {
        readFiles(files, settings, true, receiver);
    }

    /** What the model says of images that are not files, each named by its number. */
    public void predict(ImageSource images, LoaderSettings settings, Consumer<Prediction> receiver) {
        readAll(images, Integer::toString, settings, false, reading -> receiver.accept(reading.prediction()));
    }

    private void readFiles(List<Path> files, LoaderSettings settings, boolean describe, Consumer<Reading> receiver) {
        readAll(ImageSource.ofFiles(files, decoder), i -> files.get(i).toString(), settings, describe, receiver);
    }

    /** @param describe whether descriptors are wanted, which may be many megabytes a batch */
    private void readAll(
            ImageSource source,
            IntFunction<String> names,
            LoaderSettings settings,
            boolean describe,
            Consumer<Reading> receiver) {
        ViewBudget.require(preprocessing, Math.min(settings.batchSize(), source.count()));
        int[] order = IntStream.range(0, source.count()).toArray();
        LoaderSettings own = settings.withChannelOrder(inference.channelOrder());
        List<ImageLoader> loaders = preprocessing.stream()
                .map(one -> new ImageLoader(source, order, one, own, NO_SEED))
                .toList();
        try {
            while (loaders.get(0).hasNext()) {
                List<ImageBatch> batch = loaders.stream().map(ImageLoader::next).toList();
                StartupTrace.IMAGE.reached();
                Collection<Reading> readings = readings(names, batch, describe);
                StartupTrace.FORWARD.reached();
                readings.forEach(receiver);
            }
        } finally {
            loaders.forEach(ImageLoader::close);
        }
    }

    /**
     * The readings of a batch in the order of the images, whichever were rejected.
     *
     * @param scales the same images at each of the network's scales; one that any of them rejects is rejected
     */
    private Collection<Reading> readings(IntFunction<String> names, List<ImageBatch> scales, boolean describe) {
        Map<Integer, Reading> all = new TreeMap<>();
        for (ImageBatch scale : scales) {
            for (ImageBatch.Reject reject : scale.rejects()) {
                all.putIfAbsent(
                        reject.index(),
                        Reading.rejected(
                                names.apply(reject.index()), reject.why().sentence()));
            }
        }
        List<Integer> whole = scales.get(0).indices().stream()
                .filter(index -> !all.containsKey(index))
                .toList();
        if (!whole.isEmpty()) {
            List<Reading> read = read(
                    whole.stream().map(names::apply).toList(),
                    scales.stream().map(scale -> pixels(scale, whole)).toList(),
                    describe);
            for (int i = 0; i < read.size(); i++) {
                all.put(whole.get(i), read.get(i));
            }
        }
        return all.values();
    }

    /** The pixels of some images of a batch, in its order. */
    private static InputPixels pixels(ImageBatch batch, List<Integer> wanted) {
        if (batch.indices().size() == wanted.size()) {
            return batch.pixels();
        }
        Set<Integer> kept = Set.copyOf(wanted);
        InputPixels all = batch.pixels();
        return new InputPixels(
                IntStream.range(0, batch.indices().size())
                        .filter(i -> kept.contains(batch.indices().get(i)))
                        .mapToObj(all.images()::get)
                        .toList(),
                all.size(),
                all.order());
    }

    /** The readings of images that are the network's input already. */
    private List<Reading> read(List<String> names, List<InputPixels> inputs, boolean describe) {
        requireOpen();
        Inference.Answers answers =
                inference.answers(inputs, preprocessing.get(0).views(), describe);
        return IntStream.range(0, names.size())
                .mapToObj(i -> reading(names.get(i), answers.probabilities()[i], answers.descriptors()[i]))
                .toList();
    }

    /** An image for which the network computes no numbers has no answer: one of NaN would look like any other. */
    private Reading reading(String name, float[] probabilities, float[] descriptor) {
        return isFinite(probabilities) && isFinite(descriptor)
                ? new Reading(Prediction.of(name, classes(), probabilities), descriptor)
                : Reading.rejected(name, "the network's answer is NaN or infinite");
    }

    private static boolean isFinite(float[] numbers) {
        for (float number : numbers) {
            if (!Float.isFinite(number)) {
                return false;
            }
        }
        return true;
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
