package io.github.gramian.spark;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.apache.spark.sql.SparkSession;

/** Fixtures of this module's tests: images, a small model, a Spark in their own JVM. */
public final class Fixtures {

    public static final List<String> CLASSES = List.of("rows", "columns", "dots");

    /** Two threads in this JVM. Classes per query, and 200 tasks per shuffle, would take longer than a few dozen rows. */
    static final Map<String, String> SETTINGS = Map.of(
            "spark.master", "local[2]",
            "spark.ui.enabled", "false",
            "spark.driver.host", "127.0.0.1",
            "spark.driver.bindAddress", "127.0.0.1",
            "spark.sql.shuffle.partitions", "1",
            "spark.sql.codegen.wholeStage", "false",
            "spark.sql.codegen.factoryMode", "NO_CODEGEN",
            "spark.sql.adaptive.enabled", "false");

    private static final int PIXELS = 72;

    private Fixtures() {}

    /**
     * A model with a tiny ResNet-18 of random weights on views of 64 pixels; its descriptors have 136 dimensions. No centring:
     * before any training a batch would be centred by itself, and the output for an image depend on its neighbours.
     */
    public static Path smallModel(Path folder) throws IOException {
        Path file = folder.resolve("small.gramian");
        new SyntheticModel(Architecture.RESNET18_TINY, CLASSES, new Seed(3), recipe(64, 16)).write(file);
        return file;
    }

    /** The small model with made-up scores of training images, by which it knows the novelty of an image and sets of classes. */
    public static Path modelWithReference(Path folder) throws IOException {
        Path model = smallModel(folder);
        Path target = folder.resolve("reference.gramian");
        try (StoredModel from = StoredModel.open(model);
                SafetensorsFile tensors = SafetensorsFile.open(model);
                Network network = from.network(Placement.cpu(Precision.FLOAT))) {
            StoredModel.write(
                    target,
                    from.description(),
                    network,
                    name -> tensors.tensor("backbone/" + name),
                    new TrainingImages(KnownImages.none(), reference()));
        }
        return target;
    }

    private static ModelCertainty reference() {
        int size = 8;
        float[] identity = new float[size * size];
        for (int i = 0; i < size; i++) {
            identity[i * size + i] = 1;
        }
        float[] calibration = new float[999];
        for (int i = 0; i < calibration.length; i++) {
            calibration[i] = -5.4f + 2.4f * (i + 1) / (calibration.length + 1);
        }
        float[] sets = new float[99];
        for (int i = 0; i < sets.length; i++) {
            sets[i] = (i + 1) / 100f;
        }
        float[] counts = new float[size];
        Arrays.fill(counts, 10);
        float[] spread = new float[size + 1];
        Arrays.fill(spread, 1);
        Novelty.Densities densities =
                new Novelty.Densities(new float[size], 1, identity, identity, identity, counts, spread);
        return new ModelCertainty(
                Optional.of(new Novelty(densities, calibration)),
                Optional.of(new PredictionSets(PredictionSets.Source.VALIDATION, sets)));
    }

    /** One with a ResNet-18 on views of 128 pixels; its descriptors have 528 dimensions (32 channels). */
    public static Path middleModel(Path folder) throws IOException {
        Path file = folder.resolve("middle.gramian");
        new SyntheticModel(Architecture.RESNET18, CLASSES, new Seed(3), recipe(128, 32)).write(file);
        return file;
    }

    /** One with a ResNet-50 on views of 224 pixels; its descriptors have 2,080 dimensions (64 channels). */
    public static Path largeModel(Path folder) throws IOException {
        Path file = folder.resolve("large.gramian");
        new SyntheticModel(Architecture.RESNET50, CLASSES, new Seed(3), recipe(224, 64)).write(file);
        return file;
    }

    private static Recipe recipe(int size, int channels) {
        return RecipeFile.parse(String.format(Locale.ROOT, """
                data: {images: none, validation: 0.25}
                backbone: {weights: none, precision: float}
                views: {margin: 1, training: 'random-resized:1:0.5:1:1.33', augment: 'mirror:0.5', test: centre}
                network:
                  logitScale: 5
                  branches:
                    - tap: %s
                      size: %d
                      convolution: %d
                      rectify: true
                      aggregator: {kind: spd, aggregation: {kernel: rbf}, transforms: []}
                      descriptor: {powerEpsilon: 1.0E-3, centringMomentum: 0}
                initialisation: {convolution: pca, transform: pca, classifier: zeros}
                stage1: {epochs: 1, batch: 6, accumulate: 1, schedule: cosine, warmUp: 2, momentum: 0.9,
                  rates: {classifier: 0.1, bias: 0.01, convolution: 0.05, transform: 0.05}}
                stage2: {epochs: 0, batch: 6, accumulate: 1, schedule: constant, warmUp: 0, momentum: 0.9,
                  rates: {classifier: 0.025, backbone: 0.001, backboneClip: 1}}
                refit: never
                seed: 7
                """, BranchConfig.LAST, size, channels), List.of());
    }

    /** A PNG with stripes of a period and its own noise; images of one kind differ less than those of two. */
    public static byte[] image(String kind, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int period = 5 + random.nextInt(8);
        BufferedImage image = new BufferedImage(PIXELS, PIXELS, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < PIXELS; y++) {
            for (int x = 0; x < PIXELS; x++) {
                boolean row = y / period % 2 == 0;
                boolean column = x / period % 2 == 0;
                boolean light = kind.equals("rows") ? row : kind.equals("columns") ? column : row && column;
                int grey = (light ? 170 : 30) + random.nextInt(60);
                image.setRGB(x, y, grey << 16 | grey << 8 | (grey / 2));
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        return bytes.toByteArray();
    }

    /** Writes images 0 to count−1 of all kinds in turn, as {@code <kind>/<number>.png}. */
    public static void images(Path folder, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            String kind = CLASSES.get(i % CLASSES.size());
            Path file = folder.resolve(kind).resolve(String.format(Locale.ROOT, "%05d.png", i));
            Files.createDirectories(file.getParent());
            Files.write(file, image(kind, i));
        }
    }

    /** A Spark with two threads in this JVM, the same for all tests. */
    public static SparkSession spark() {
        SparkSession.Builder builder = SparkSession.builder();
        SETTINGS.forEach(builder::config);
        return builder.getOrCreate();
    }
}
