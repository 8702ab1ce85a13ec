package io.github.gramian.run.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Predictions of a model for labelled images, and their scores: the same after a training and after an evaluation, so that
 * both can be compared.
 *
 * @param part which images of the dataset: {@code test}, {@code val}, {@code train} or {@code all}
 * @param root the folder that the ids of the predictions start from
 * @param predictions one per image
 * @param scores of the predictions
 * @param protocol evaluation protocol
 * @param descriptorLength dimensions of the model's descriptor
 */
public record ModelEvaluation(
        String part,
        Path root,
        List<Prediction> predictions,
        Scores scores,
        EvaluationProtocol protocol,
        int descriptorLength) {

    public ModelEvaluation {
        predictions = List.copyOf(predictions);
    }

    /** Scores predictions. The seed of the evaluation protocol is that of the bootstrap, too. */
    public static ModelEvaluation of(
            String part,
            Dataset dataset,
            List<Prediction> predictions,
            List<String> classes,
            EvaluationProtocol protocol,
            int descriptorLength) {
        long seed = protocol.seed() == null ? 0 : protocol.seed();
        return new ModelEvaluation(
                part, dataset.root(), predictions, Scores.of(predictions, classes, seed), protocol, descriptorLength);
    }

    /**
     * Everything but the predictions, as {@code scores.json} has it.
     *
     * @param facts what else is known
     */
    public ScoresFile file(Map<String, ? extends @Nullable Object> facts) {
        return ScoresFile.of(this, facts);
    }

    /** Writes predictions and scores; scores are never stored next to predictions that they were not computed from. */
    public void write(RunFolder folder, Map<String, ? extends @Nullable Object> facts) throws IOException {
        String lines = PredictionsFile.text(predictions);
        String sealed = file(facts).withPredictions(Checksum.of(lines)).text();
        AtomicFile.writeTogether(
                folder.predictions(), channel -> AtomicFile.put(lines, channel), () -> Map.of(folder.scores(), sealed));
    }
}
