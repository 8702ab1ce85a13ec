package io.github.gramian.model;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.internal.ImageTensors;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ChannelOrder;
import io.github.gramian.image.internal.ImageBatch;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.EngineStart;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.StartupTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Inference with a trained model: images in, class probabilities or descriptors out. Safe for use by many threads; only
 * {@link #close} must come last.
 */
public final class Predictor implements AutoCloseable {

    private static final Seed NO_SEED = new Seed(0);

    private final ModelDescription description;
    private final Backbone backbone;
    private final Network network;
    private final List<Preprocessing> preprocessing;
    private final KnownImages known;
    private final ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);

    private Predictor(
            ModelDescription description,
            Backbone backbone,
            Network network,
            List<Preprocessing> preprocessing,
            KnownImages known) {
        this.description = description;
        this.backbone = backbone;
        this.network = network;
        this.preprocessing = preprocessing;
        this.known = known;
    }

    /** Loads a model whose file holds its backbone, on the CPU, in the precision that it was trained with. */
    public static Predictor load(Path model) throws IOException {
        return loadIn(null, model);
    }

    /**
     * The same with the backbone in another precision: float where predictions must not depend on the machine's rounding.
     */
    public static Predictor load(Path model, Precision precision) throws IOException {
        return loadIn(precision, model);
    }

    private static Predictor loadIn(@Nullable Precision precision, Path model) throws IOException {
        try (EngineStart engine = EngineStart.begin();
                ModelFile file = ModelFile.open(model)) {
            StartupTrace.MODEL.reached();
            file.verify();
            StartupTrace.SUM.reached();
            engine.await();
            StartupTrace.ENGINE.reached();
            Backbone backbone = file.backbone(Placement.cpu(
                    precision == null ? file.description().backbone().precision() : precision));
            try {
                Predictor predictor = of(file, backbone);
                StartupTrace.WEIGHTS.reached();
                return predictor;
            } catch (IOException | RuntimeException failure) {
                backbone.close();
                throw failure;
            }
        }
    }

    /** Loads a model for a backbone that the caller provides; the predictor closes it. */
    public static Predictor load(Path model, Backbone backbone) throws IOException {
        try (ModelFile file = ModelFile.open(model)) {
            file.verify();
            String expected = file.description().backbone().name();
            if (!backbone.name().equals(expected)) {
                throw new ModelException(
                        model + " was trained on the backbone " + expected + ", not on " + backbone.name());
            }
            return of(file, backbone);
        }
    }

    private static Predictor of(ModelFile file, Backbone backbone) throws IOException {
        Placement placement = new Placement(backbone.placement().device(), Precision.FLOAT);
        return new Predictor(
                file.description(),
                backbone,
                file.network(placement),
                file.description().preprocessing(),
                file.knownImages());
    }

    /** The same model with other crops of an image, such as five; shares everything with this one. */
    public Predictor withCrops(List<Crop> crops) {
        List<Preprocessing> changed =
                preprocessing.stream().map(one -> one.withCrops(crops)).toList();
        return new Predictor(description, backbone, network, changed, known);
    }

    /** The model's description. */
    public ModelDescription description() {
        return description;
    }

    /** The precision of the backbone's activations. */
    public Precision precision() {
        return backbone.placement().precision();
    }

    /** The images that training has used. */
    public KnownImages knownImages() {
        return known;
    }

    /** Names of the classes, in the order of the probabilities. */
    public List<String> classes() {
        return description.classes();
    }

    /** Dimensions of a descriptor. */
    public int descriptorLength() {
        return network.descriptorLength();
    }

    /**
     * The prediction for one file.
     *
     * @throws ModelException if the file is not an image; the message says why
     */
    public Prediction predict(Path file) throws IOException {
        PreparedImage image = PreparedImage.decoded(preprocessing, reduction -> decoder.decode(file, reduction));
        if (image.rejected().isPresent()) {
            throw new ModelException(file + ": " + image.rejected().get().sentence());
        }
        return read(List.of(image)).get(0).prediction().withImage(file.toString());
    }

    /** What the model says of an image with all its pixels. */
    public Prediction predict(RgbImage image) {
        return read(List.of(PreparedImage.of(preprocessing, image))).get(0).prediction();
    }

    /** The descriptor of an image with all its pixels; of several views, their mean. */
    public float[] describe(RgbImage image) {
        return read(List.of(PreparedImage.of(preprocessing, image))).get(0).descriptor();
    }

    /** Decodes a file's content, cuts, scales and normalises it; it is not needed any more afterwards. */
    public PreparedImage prepare(byte[] content, ImageDecoder by) {
        return PreparedImage.decoded(preprocessing, reduction -> by.decode(content, reduction));
    }

    /** Probabilities and descriptors of some images at once, in their order. */
    public List<Reading> read(List<PreparedImage> images) {
        if (images.isEmpty()) {
            return List.of();
        }
        ViewBudget.require(preprocessing, images.size());
        try (Scope scope = Scope.open()) {
            List<InputPixels> inputs = IntStream.range(0, preprocessing.size())
                    .mapToObj(scale -> new InputPixels(
                            images.stream().map(image -> image.scale(scale)).toList(),
                            preprocessing.get(scale).size(),
                            ChannelOrder.LAST))
                    .toList();
            return read(Collections.nCopies(images.size(), ""), inputs, true);
        }
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

    /** @param describe whether descriptors are copied from the engine, which may be many megabytes a batch */
    private void readAll(
            ImageSource source,
            IntFunction<String> names,
            LoaderSettings settings,
            boolean describe,
            Consumer<Reading> receiver) {
        ViewBudget.require(preprocessing, Math.min(settings.batchSize(), source.count()));
        int[] order = IntStream.range(0, source.count()).toArray();
        List<ImageLoader> loaders = preprocessing.stream()
                .map(one -> new ImageLoader(source, order, one, settings, NO_SEED))
                .toList();
        try {
            while (loaders.get(0).hasNext()) {
                try (Scope scope = Scope.open()) {
                    List<ImageBatch> batch =
                            loaders.stream().map(ImageLoader::next).toList();
                    StartupTrace.IMAGE.reached();
                    Collection<Reading> readings = readings(names, batch, describe);
                    StartupTrace.FORWARD.reached();
                    readings.forEach(receiver);
                }
            }
        } finally {
            loaders.forEach(ImageLoader::close);
        }
    }

    /** The readings of a batch in the order of the images, whichever were rejected. */
    private Collection<Reading> readings(IntFunction<String> names, List<ImageBatch> batch, boolean describe) {
        ImageBatch first = batch.get(0);
        Map<Integer, Reading> all = new TreeMap<>();
        if (!first.indices().isEmpty()) {
            List<String> images = first.indices().stream().map(names::apply).toList();
            List<Reading> read =
                    read(images, batch.stream().map(ImageBatch::pixels).toList(), describe);
            for (int i = 0; i < read.size(); i++) {
                all.put(first.indices().get(i), read.get(i));
            }
        }
        for (ImageBatch.Reject reject : first.rejects()) {
            all.put(
                    reject.index(),
                    Reading.rejected(names.apply(reject.index()), reject.why().sentence()));
        }
        return all.values();
    }

    /** The readings of images that are the network's input already. */
    private List<Reading> read(List<String> names, List<InputPixels> inputs, boolean describe) {
        Tensor descriptors =
                descriptors(inputs.stream().map(ImageTensors::of).toList());
        float[][] probabilities = HostCopy.rows(FeatureMaps.fuseViews(network.probabilities(descriptors), views()));
        float[][] fused =
                describe ? HostCopy.rows(FeatureMaps.fuseViews(descriptors, views())) : new float[names.size()][0];
        return IntStream.range(0, names.size())
                .mapToObj(i -> new Reading(Prediction.of(names.get(i), classes(), probabilities[i]), fused[i]))
                .toList();
    }

    private Tensor descriptors(List<Tensor> images) {
        List<Tensor> maps = FeatureMaps.raw(backbone, description.network().features(), images).stream()
                .map(features -> FeatureMaps.flat(features, network.placement()))
                .toList();
        return network.describe(maps);
    }

    private int views() {
        return preprocessing.get(0).views();
    }

    /** Frees backbone and network. */
    @Override
    public void close() {
        network.close();
        backbone.close();
    }
}
