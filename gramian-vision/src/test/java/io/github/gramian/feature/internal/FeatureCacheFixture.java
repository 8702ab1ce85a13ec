package io.github.gramian.feature.internal;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A few images, a small backbone, and an empty folder for a cache. */
abstract class FeatureCacheFixture {

    static final ImageDecoder DECODER = new ImageDecoder(ImageLimits.DEFAULT);
    static final int SIZE = 64;

    @TempDir
    static Path images;

    static ConvolutionalBackbone backbone;
    static final List<Path> FILES = new ArrayList<>();

    final Scope scope = Scope.open();

    @TempDir
    Path root;

    @BeforeAll
    static void drawImages() throws IOException {
        FILES.clear();
        backbone = ConvolutionalBackbone.random(
                new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 10),
                new Seed(1),
                BackboneOptions.frozen(Precision.FLOAT));
        Random random = new Random(2);
        for (int i = 0; i < 12; i++) {
            BufferedImage image = new BufferedImage(80 + i, 90, BufferedImage.TYPE_INT_RGB);
            for (int p = 0; p < 80 * 90; p++) {
                image.setRGB(p % 80, p / 80, random.nextInt());
            }
            Path file = images.resolve("image" + i + ".png");
            ImageIO.write(image, "png", file.toFile());
            FILES.add(file);
        }
    }

    @AfterAll
    static void freeBackbone() {
        backbone.close();
    }

    @AfterEach
    void free() {
        scope.close();
    }

    static Preprocessing centre() {
        return Preprocessing.centre(72, SIZE, Interpolation.BILINEAR, backbone.normalisation());
    }

    static FeatureRecipe recipe(TensorType storage) {
        return FeatureRecipe.of(backbone, List.of("res4b", "res5b"), centre(), new Seed(0), storage);
    }

    FeatureExtraction extraction(FeatureRecipe recipe) {
        return extraction(root, recipe);
    }

    static FeatureExtraction extraction(Path folder, FeatureRecipe recipe) {
        return new FeatureExtraction(folder, recipe, backbone, DECODER, LoaderSettings.defaults(4));
    }

    FeatureExtraction.Summary fill(FeatureRecipe recipe, List<Path> files) throws IOException {
        FeatureExtraction extraction = extraction(recipe);
        return extraction.run(extraction.plan(files), (done, total) -> {});
    }

    static List<ContentKey> keys(List<Path> files) throws IOException {
        List<ContentKey> keys = new ArrayList<>();
        for (Path file : files) {
            keys.add(ContentKey.ofFile(file));
        }
        return keys;
    }

    /** Names and contents of all files below a folder, the lock aside. */
    static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(
                        folder.relativize(file).toString(),
                        ContentKey.ofFile(file).hex());
            }
        }
        return contents;
    }

    static Rejection reason(FeatureExtraction.Summary summary, Path file) {
        return Objects.requireNonNull(summary.rejects().get(file)).reason();
    }
}
