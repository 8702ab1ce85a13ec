package io.github.gramian.onnx.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.ModelMetadata;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxInferenceTest {

    private static final int SIZE = 16;

    /** Bytes of the entry with the checksum, and some. */
    private static final int SEAL = 64;

    private static final SmallGraphs ONE = new SmallGraphs(List.of(SIZE), Normalisation.TORCHVISION, false);

    @TempDir
    Path folder;

    private BatchPredictor load(SmallGraphs graphs) throws IOException {
        return BatchPredictor.load(graphs.write(folder.resolve("model.onnx")));
    }

    /** Every sample from 0 to 255 in each channel. */
    private static RgbImage allSamples() {
        byte[] pixels = new byte[3 * SIZE * SIZE];
        for (int i = 0; i < SIZE * SIZE; i++) {
            pixels[3 * i] = (byte) i;
            pixels[3 * i + 1] = (byte) (255 - i);
            pixels[3 * i + 2] = (byte) (i + 77);
        }
        return new RgbImage(SIZE, SIZE, pixels);
    }

    private List<Path> files(int count) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(Files.write(
                    folder.resolve("image" + i + ".png"), Fixtures.file(Fixtures.picture(SIZE, SIZE, i), "png")));
        }
        return files;
    }

    @ParameterizedTest
    @EnumSource(Normalisation.class)
    void a_graph_of_floats_gets_normalised_planes(Normalisation normalisation) throws IOException {
        float[] expected = new float[3 * SIZE * SIZE];
        normalisation.write(allSamples(), ChannelOrder.FIRST, expected, 0);
        try (BatchPredictor predictor = load(new SmallGraphs(List.of(SIZE), normalisation, false))) {
            assertThat(predictor.describePixels(allSamples())).containsExactly(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(Normalisation.class)
    void a_graph_of_pixels_gets_the_samples_themselves(Normalisation normalisation) throws IOException {
        byte[] samples = allSamples().pixels();
        try (BatchPredictor predictor = load(new SmallGraphs(List.of(SIZE), normalisation, true))) {
            float[] found = predictor.describePixels(allSamples());
            for (int i = 0; i < samples.length; i++) {
                assertThat(found[i]).as("sample %d", i).isEqualTo(samples[i] & 0xFF);
            }
        }
    }

    @Test
    void a_prediction_names_the_classes_of_the_description() throws IOException {
        try (BatchPredictor predictor = load(ONE)) {
            assertThat(predictor.classes()).isEqualTo(SmallGraphs.CLASSES);
            assertThat(predictor.descriptorLength()).isEqualTo(3 * SIZE * SIZE);
            assertThat(predictor.precision()).isEqualTo(Precision.FLOAT);
            assertThat(predictor.engine()).startsWith("ONNX Runtime 1.");
            assertThat(predictor.knownImages().count()).isZero();
            float[] first = predictor.describePixels(allSamples());
            double sum =
                    IntStream.range(0, 3).mapToDouble(c -> Math.exp(first[c])).sum();
            Prediction answer = predictor.predictPixels(allSamples());
            for (int c = 0; c < 3; c++) {
                assertThat((double) answer.probability(c)).isCloseTo(Math.exp(first[c]) / sum, within(1e-6));
            }
        }
    }

    @Test
    void every_scale_reaches_its_own_input() throws IOException {
        try (BatchPredictor predictor = load(new SmallGraphs(List.of(SIZE, 2 * SIZE), Normalisation.CAFFE, false))) {
            RgbImage white = new RgbImage(1, 1, new byte[] {-1, -1, -1});
            RgbImage picture = Fixtures.picture(2 * SIZE, 2 * SIZE, 3);
            float[] large = new float[12 * SIZE * SIZE];
            Normalisation.CAFFE.write(picture, ChannelOrder.FIRST, large, 0);
            float[] found = predictor.describePixels(picture);
            assertThat(found).hasSize(15 * SIZE * SIZE).endsWith(large);
            assertThat(predictor.describePixels(white)[0]).isEqualTo(255 - 103.939f);
        }
    }

    @Test
    void views_of_an_image_are_fused_by_their_mean() throws IOException {
        RgbImage wide = Fixtures.picture(2 * SIZE, SIZE, 5);
        try (BatchPredictor predictor = load(ONE);
                BatchPredictor five = predictor.withCrops(List.of(new Crop.FiveCrop()))) {
            double[] mean = new double[3 * SIZE * SIZE];
            for (int left : new int[] {0, SIZE, 0, SIZE, SIZE / 2}) {
                float[] one = predictor.describePixels(cut(wide, left));
                for (int i = 0; i < mean.length; i++) {
                    mean[i] += one[i] / 5.0;
                }
            }
            float[] fused = five.describePixels(wide);
            for (int i = 0; i < mean.length; i++) {
                assertThat((double) fused[i]).isCloseTo(mean[i], within(1e-6));
            }
        }
    }

    private static RgbImage cut(RgbImage wide, int left) {
        byte[] pixels = new byte[3 * SIZE * SIZE];
        for (int y = 0; y < SIZE; y++) {
            System.arraycopy(wide.pixels(), 3 * (y * wide.width() + left), pixels, 3 * y * SIZE, 3 * SIZE);
        }
        return new RgbImage(SIZE, SIZE, pixels);
    }

    @Test
    void files_keep_their_order_and_rejected_ones_have_a_reason() throws IOException {
        List<Path> files = new ArrayList<>(files(5));
        files.add(2, Files.writeString(folder.resolve("broken.png"), "no picture"));
        try (BatchPredictor predictor = load(ONE)) {
            List<Reading> readings = new ArrayList<>();
            predictor.describe(files, LoaderSettings.defaults(4), readings::add);
            assertThat(readings)
                    .extracting(reading -> reading.prediction().image())
                    .containsExactlyElementsOf(
                            files.stream().map(Path::toString).toList());
            assertThat(readings.get(2).prediction().rejection()).isPresent();
            assertThat(readings.get(3).prediction().probabilities())
                    .containsExactly(predictor.predict(files.get(3)).probabilities());
            assertThatThrownBy(() -> predictor.predict(files.get(2)))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("broken.png");
        }
    }

    @Test
    void many_threads_at_once_get_the_answers_of_one() throws IOException {
        try (BatchPredictor predictor = load(ONE)) {
            List<float[]> alone = IntStream.range(0, 64)
                    .mapToObj(i -> predictor.describePixels(Fixtures.picture(SIZE, SIZE, i)))
                    .toList();
            List<float[]> together = IntStream.range(0, 64)
                    .parallel()
                    .mapToObj(i -> predictor.describePixels(Fixtures.picture(SIZE, SIZE, i)))
                    .toList();
            for (int i = 0; i < 64; i++) {
                assertThat(together.get(i)).containsExactly(alone.get(i));
            }
        }
    }

    @Test
    void another_precision_than_float_is_refused() throws IOException {
        Path file = ONE.write(folder.resolve("model.onnx"));
        assertThatThrownBy(() -> BatchPredictor.load(file, Precision.BFLOAT16))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("computes in float, not in bfloat16");
        BatchPredictor.load(file, Precision.FLOAT).close();
    }

    /**
     * The long form, over whole commands, is {@code BitFlipsTest}. A bit of the checksum's own entry may change nothing: a file
     * without that entry is one of another program, and all values before it are intact.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_flipped_bit_is_refused_with_the_name_of_the_file(long seed) throws IOException {
        Path file = new SmallGraphs(List.of(4), Normalisation.TORCHVISION, false).write(folder.resolve("flipped.onnx"));
        byte[] whole = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(seed);
        for (int flip = 0; flip < 20; flip++) {
            byte[] bytes = whole.clone();
            bytes[random.nextInt(bytes.length - SEAL)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
            assertThatThrownBy(() -> BatchPredictor.load(file).close()).hasMessageContaining("flipped.onnx");
        }
    }

    @Test
    void a_file_that_is_not_there_or_not_onnx_is_refused() throws IOException {
        assertThatThrownBy(() -> BatchPredictor.load(folder.resolve("none.onnx")))
                .isInstanceOf(NoSuchFileException.class);
        for (String content : List.of("", "this is text", "\b\b")) {
            Path file = Files.writeString(folder.resolve("odd.onnx"), content);
            assertThatThrownBy(() -> BatchPredictor.load(file))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("odd.onnx");
        }
    }

    private static SmallGraphs graphs(Integer... sizes) {
        return new SmallGraphs(List.of(sizes), Normalisation.TORCHVISION, false);
    }

    private void refused(SmallGraphs graph, Map<String, String> metadata, String... words) throws IOException {
        Path file = graph.write(folder.resolve("model.onnx"), metadata);
        assertThatThrownBy(() -> BatchPredictor.load(file))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContainingAll(words);
    }

    /** Of another model, sealed like any. */
    private static Map<String, String> changed(String key, String value) {
        Map<String, String> metadata = new TreeMap<>(ModelMetadata.of(ONE.description()));
        metadata.put(key, value);
        ModelMetadata.seal(metadata);
        return Map.of(Contract.MODEL, ModelMetadata.toJson(metadata));
    }

    @Test
    void a_graph_without_a_description_is_refused() throws IOException {
        refused(ONE, Map.of(), "its metadata lacks gramian.model", "gramian export");
    }

    @Test
    void a_description_that_cannot_be_read_is_refused() throws IOException {
        for (String text : List.of("", "no JSON", "[]", "{\"format\": {}}", "{\"format\": 1}", "{} {}")) {
            refused(ONE, Map.of(Contract.MODEL, text), "model.onnx");
        }
        refused(ONE, Map.of(Contract.MODEL, "{\"format\": null}"), "not a model");
    }

    @Test
    void a_changed_description_is_refused() throws IOException {
        String honest = ONE.metadata().getOrDefault(Contract.MODEL, "");
        refused(ONE, Map.of(Contract.MODEL, honest.replace("moss", "mess")), "was changed");
        refused(ONE, changed("format", "gramian-model/2"), "install a newer gramian");
    }

    @Test
    void inputs_of_another_size_or_number_are_refused() throws IOException {
        refused(graphs(15), ONE.metadata(), "'images'", "[-1, 3, 15, 15]", "[-1, 3, 16, 16]");
        refused(graphs(16, 32), ONE.metadata(), "2 inputs", "1 scales");
        refused(ONE, graphs(16, 32).metadata(), "1 inputs", "2 scales");
    }

    @Test
    void outputs_of_another_length_are_refused() throws IOException {
        refused(ONE, changed("classes", "[\"moss\", \"bark\"]"), "'probabilities'", "[-1, 2]");
        refused(ONE, changed("inputChannels", "[512]"), "'descriptor'", "[-1, 512]");
    }
}
