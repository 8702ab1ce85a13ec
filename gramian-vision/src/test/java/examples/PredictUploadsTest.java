package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Predictor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prediction of bytes, streams and many files, as in docs/java.md, on drawn textures. */
class PredictUploadsTest {

    @TempDir
    Path folder;

    @Test
    void uploads_and_folders_are_predicted() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        drawn.run(drawn.recipe("stage1.epochs=0"), "first");
        Path file = drawn.images().resolve("rows/0.png");
        Path photos = drawn.images();
        String printed = Printed.of(() -> {
            try (Predictor predictor = Predictor.load(drawn.path("first").resolve("model.gramian"))) {
                predictUpload(predictor, Files.readAllBytes(file));
                predictUpload(predictor, "no image".getBytes(StandardCharsets.UTF_8));
                try (InputStream in = Files.newInputStream(file)) {
                    assertThat(predictor.predict(in).probabilities())
                            .containsExactly(predictor.predict(file).probabilities());
                }
                predictFolder(predictor, photos);
            }
        });
        assertThat(printed).contains("not an image").contains("0.png ");
        assertThat(printed.lines()).hasSizeGreaterThan(30);
    }

    private static void predictUpload(Predictor predictor, byte[] upload) throws IOException {
        try {
            Prediction prediction = predictor.predict(upload); // predict(InputStream) reads a stream
            System.out.println(prediction.label() + " " + prediction.confidence());
        } catch (ModelException e) { // not an image, damaged, or too large
            System.out.println("not an image: " + e.getMessage());
        }
    }

    private static void predictFolder(Predictor predictor, Path photos) throws IOException {
        try (Stream<Path> files = Files.walk(photos).filter(Files::isRegularFile);
                Stream<Prediction> predictions = predictor.predictAll(files, BatchOptions.defaults())) {
            predictions.forEach(prediction -> System.out.println(
                    prediction.image() + " " + prediction.rejection().orElseGet(prediction::label)));
        }
    }
}
