package io.github.gramian.model.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Reading;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchPredictorTest {

    private static final List<Crop> FIVE = List.of(new Crop.FiveCrop());

    @TempDir
    static Path folder;

    private static List<Path> files = List.of();
    private static BatchPredictor predictor = nobody();

    @SuppressWarnings("NullAway") // set before any test runs
    private static BatchPredictor nobody() {
        return null;
    }

    @BeforeAll
    static void train() throws IOException {
        SmallRuns runs = SmallRuns.in(folder);
        Path run = runs.run(runs.recipe("stage1.epochs=0"), "model").directory();
        predictor = BatchPredictor.load(run.resolve("model.gramian"));
        List<Path> all = new ArrayList<>();
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < 4; i++) {
                all.add(runs.images().resolve(kind).resolve(i + ".png"));
            }
        }
        files = List.copyOf(all);
    }

    @AfterAll
    static void free() {
        predictor.close();
    }

    private static RgbImage image(Path file) throws IOException {
        return ((Decoded.Picture) new ImageDecoder(ImageLimits.DEFAULT).decode(file)).image();
    }

    private static List<Prediction> together(List<Path> wanted, int batch) {
        List<Prediction> answers = new ArrayList<>();
        predictor.predict(wanted, LoaderSettings.defaults(batch), answers::add);
        return answers;
    }

    @Test
    void eight_threads_at_once_get_the_predictions_of_one() throws Exception {
        List<float[]> alone = new ArrayList<>();
        for (Path file : files) {
            alone.add(predictor.predict(file).probabilities());
        }
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<List<float[]>>> tasks = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int start = t;
                tasks.add(() -> {
                    List<float[]> predicted = new ArrayList<>();
                    for (int i = 0; i < files.size(); i++) {
                        predicted.add(predictor
                                .predict(files.get((i + start) % files.size()))
                                .probabilities());
                    }
                    return predicted;
                });
            }
            List<Future<List<float[]>>> done = threads.invokeAll(tasks);
            for (int t = 0; t < 8; t++) {
                for (int i = 0; i < files.size(); i++) {
                    assertThat(done.get(t).get().get(i)).containsExactly(alone.get((i + t) % files.size()));
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void a_batch_gives_the_predictions_of_single_images() throws IOException {
        List<Prediction> answers = together(files, 5);
        assertThat(answers).hasSize(files.size());
        for (int i = 0; i < files.size(); i++) {
            Prediction single = predictor.predict(files.get(i));
            assertThat(answers.get(i).image()).isEqualTo(files.get(i).toString());
            assertThat(answers.get(i).probabilities()).containsExactly(single.probabilities(), within(1e-5f));
            assertThat(answers.get(i).predicted()).isEqualTo(single.predicted());
            assertThat(single.top(2))
                    .hasSize(2)
                    .first()
                    .extracting(Prediction.Candidate::label)
                    .isEqualTo(single.label());
        }
    }

    @Test
    void descriptors_come_one_by_one_or_in_batches() throws IOException {
        List<Reading> readings = new ArrayList<>();
        predictor.describe(files, LoaderSettings.defaults(5), readings::add);
        for (int i = 0; i < files.size(); i++) {
            assertThat(readings.get(i).descriptor())
                    .hasSize(predictor.descriptorLength())
                    .containsExactly(predictor.describePixels(image(files.get(i))), within(1e-5f));
        }
    }

    @Test
    void a_reading_holds_prediction_and_descriptor() throws IOException {
        try (BatchPredictor fiveTimes = predictor.withCrops(FIVE)) {
            requireReadingsToEqualSingleAnswers(predictor);
            requireReadingsToEqualSingleAnswers(fiveTimes);
        }
    }

    private static void requireReadingsToEqualSingleAnswers(BatchPredictor one) throws IOException {
        List<PreparedImage> prepared = new ArrayList<>();
        for (Path file : files) {
            prepared.add(one.prepare(Files.readAllBytes(file), new ImageDecoder(ImageLimits.DEFAULT)));
        }
        List<Reading> readings = one.read(prepared);
        assertThat(readings).hasSize(files.size());
        for (int i = 0; i < files.size(); i++) {
            RgbImage alone = image(files.get(i));
            assertThat(readings.get(i).descriptor()).containsExactly(one.describePixels(alone), within(1e-5f));
            assertThat(readings.get(i).prediction().probabilities())
                    .containsExactly(one.predictPixels(alone).probabilities(), within(1e-5f));
        }
        assertThat(one.read(List.of())).isEmpty();
    }

    @Test
    void the_prediction_for_five_crops_is_the_mean_of_theirs() throws IOException {
        byte[] pixels = new byte[120 * 48 * 3]; // as high as a view, so that views pass the resize unchanged
        new Random(5).nextBytes(pixels);
        RgbImage picture = new RgbImage(120, 48, pixels);
        Preprocessing one = predictor.description().preprocessing().get(0);
        Preprocessing five = new Preprocessing(
                Preprocessing.Decoding.FULL,
                one.resize(),
                List.of(new Crop.FiveCrop()),
                List.of(),
                one.interpolation(),
                one.normalisation(),
                one.size());
        double[] mean = new double[3];
        for (RgbImage view : five.viewsOf(picture, new Seed(0))) {
            float[] row = predictor.predictPixels(view).probabilities();
            for (int c = 0; c < 3; c++) {
                mean[c] += row[c] / 5.0;
            }
        }
        float[] fused;
        try (BatchPredictor fiveTimes = predictor.withCrops(FIVE)) {
            fused = fiveTimes.predictPixels(picture).probabilities();
        }
        float[] centre = predictor.predictPixels(picture).probabilities();
        for (int c = 0; c < 3; c++) {
            assertThat((double) fused[c]).isCloseTo(mean[c], within(1e-6));
        }
        assertThat(fused[0]).isNotCloseTo(centre[0], within(1e-5f));
    }

    @Test
    void a_file_that_is_not_an_image_keeps_its_place() throws IOException {
        Path broken = Files.writeString(folder.resolve("broken.png"), "no picture");
        List<Path> wanted = List.of(files.get(0), broken, files.get(4), broken, files.get(8), broken);
        List<Prediction> answers = together(wanted, 3); // rejects at other places than the last of a batch
        assertThat(answers)
                .extracting(Prediction::image)
                .containsExactlyElementsOf(wanted.stream().map(Path::toString).toList());
        assertThat(answers)
                .extracting(answer -> answer.rejection().isEmpty())
                .containsExactly(true, false, true, false, true, false);
        assertThat(answers.get(4).probabilities())
                .containsExactly(predictor.predict(files.get(8)).probabilities(), within(1e-5f));
        assertThat(answers.get(1).rejection()).isPresent();
        assertThat(together(List.of(broken, broken), 2))
                .allMatch(answer -> answer.rejection().isPresent());
        assertThat(together(List.of(), 2)).isEmpty();
        assertThatThrownBy(() -> predictor.predict(broken))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("broken.png");
    }

    @Test
    void a_rejected_image_gives_its_reason_when_it_is_read() {
        PreparedImage rejected = predictor.prepare(new byte[] {1, 2, 3}, new ImageDecoder(ImageLimits.DEFAULT));
        assertThat(rejected.rejected()).isPresent();
        assertThatThrownBy(() -> predictor.read(List.of(rejected))).hasMessageContaining("the image was rejected");
    }

    @Test
    void an_image_is_loaded_once_for_two_scales_and_a_rejected_one_moves_no_other() throws IOException {
        SmallRuns runs = SmallRuns.existing(folder);
        Path run = runs.run(
                        runs.recipe(
                                "stage1.epochs=0", "network.branches=[{tap: res5b, size: 48}, {tap: res5b, size: 64}]"),
                        "two scales")
                .directory();
        try (BatchPredictor two = BatchPredictor.load(run.resolve("model.gramian"))) {
            List<Prediction> answers = new ArrayList<>();
            two.predict(new RejectedOnce(files.subList(0, 3)), LoaderSettings.defaults(3), answers::add);
            assertThat(answers)
                    .extracting(answer -> answer.rejection().isEmpty())
                    .containsExactly(false, true, true);
            assertThat(answers.get(2).probabilities())
                    .containsExactly(two.predict(files.get(2)).probabilities(), within(1e-5f));
        }
    }

    /** Rejects the first image when it is loaded first, and the second one when it is loaded again. */
    private static final class RejectedOnce implements ImageSource {

        private final ImageSource source;
        private final AtomicIntegerArray loads;

        RejectedOnce(List<Path> files) {
            this.source = ImageSource.ofFiles(files, new ImageDecoder(ImageLimits.DEFAULT));
            this.loads = new AtomicIntegerArray(files.size());
        }

        @Override
        public int count() {
            return source.count();
        }

        @Override
        public Decoded load(int index, Reduction reduction) {
            int before = loads.getAndIncrement(index);
            return before == index
                    ? new Decoded.Rejected(Rejection.MISSING, "for a moment")
                    : source.load(index, reduction);
        }
    }
}
