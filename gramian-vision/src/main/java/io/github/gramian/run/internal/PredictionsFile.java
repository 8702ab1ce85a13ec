package io.github.gramian.run.internal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectReader;
import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.TrainingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The predictions of labelled images in {@code predictions.jsonl}, a line of JSON each. */
public final class PredictionsFile {

    private static final ObjectReader LINES = Json.codec().build().readerFor(Line.class);

    private PredictionsFile() {}

    /**
     * A line: classes are indices here, their names stand in the scores.
     *
     * @param id name of the image
     * @param truth index of the true class
     * @param predicted index of the most probable class
     * @param confidence its probability
     * @param probabilities of all classes; null in a file that somebody has made smaller
     * @param novelty p-value of the image; null if the model has no reference of its training images
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Line(
            String id,
            int truth,
            int predicted,
            double confidence,
            float @Nullable [] probabilities,
            @Nullable Double novelty) {

        public Line {
            if (id == null || truth < 0 || predicted < 0) {
                throw new IllegalArgumentException("a line of predictions.jsonl has no id, no truth or no prediction");
            }
        }

        /** The same, in little memory. */
        public Line withoutProbabilities() {
            return new Line(id, truth, predicted, confidence, null, novelty);
        }

        private static Line of(Prediction prediction) {
            return new Line(
                    prediction.image(),
                    prediction.truth(),
                    prediction.predicted(),
                    prediction.confidence(),
                    prediction.probabilities(),
                    prediction.novelty().isPresent() ? prediction.novelty().getAsDouble() : null);
        }

        private Prediction prediction(List<String> classes) {
            if (probabilities == null) {
                throw new IllegalArgumentException("a line of predictions.jsonl has no probabilities");
            }
            Prediction prediction = Prediction.of(id, classes, probabilities).withTruth(truth);
            return novelty == null ? prediction : prediction.withNovelty(novelty);
        }
    }

    /** Predictions with their true classes as the text of a file. */
    static String text(List<Prediction> predictions) {
        StringBuilder text = new StringBuilder();
        for (Prediction prediction : predictions) {
            text.append(Json.text(Line.of(prediction))).append('\n');
        }
        return text.toString();
    }

    public static Line parse(byte[] line) throws IOException {
        Line read = LINES.readValue(line);
        if (read == null) {
            throw new IOException("a line of predictions.jsonl is null");
        }
        return read;
    }

    /**
     * Reads the predictions that scores were computed from.
     *
     * @throws TrainingException if they are damaged
     */
    public static List<Prediction> read(Path file, ScoresFile scores) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        if (!Checksum.of(text).equals(scores.predictionsSum())) {
            throw new TrainingException(file + " is damaged: it is not what the scores were computed from");
        }
        List<String> classes = scores.scores().confusion().classes();
        List<Prediction> predictions = new ArrayList<>();
        for (String line : text.lines().toList()) {
            predictions.add(((Line) LINES.readValue(line)).prediction(classes));
        }
        return predictions;
    }
}
