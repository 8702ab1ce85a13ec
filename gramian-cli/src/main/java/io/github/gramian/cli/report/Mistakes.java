package io.github.gramian.cli.report;

import io.github.gramian.run.internal.PredictionsFile;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The misclassified images in {@code predictions.jsonl}.
 *
 * @param mostConfident the mistakes with the highest confidence, the highest first
 * @param wrong how many mistakes there are
 * @param total how many images there are
 */
record Mistakes(List<PredictionsFile.Line> mostConfident, long wrong, long total) {

    private static final Comparator<PredictionsFile.Line> BY_CONFIDENCE =
            Comparator.comparingDouble(PredictionsFile.Line::confidence).thenComparing(PredictionsFile.Line::id);

    /** @param most maximum number of mistakes to hold; a file may contain millions */
    static Mistakes read(RunFiles files, int most) {
        PriorityQueue<PredictionsFile.Line> mistakes = new PriorityQueue<>(BY_CONFIDENCE);
        long[] wrongAndTotal = new long[2];
        files.lines("predictions.jsonl", 1L << 30, bytes -> {
            PredictionsFile.Line line = PredictionsFile.parse(bytes);
            wrongAndTotal[1]++;
            if (line.truth() != line.predicted()) {
                wrongAndTotal[0]++;
                mistakes.add(line.withoutProbabilities());
                if (mistakes.size() > most) {
                    mistakes.remove();
                }
            }
        });
        return new Mistakes(
                mistakes.stream().sorted(BY_CONFIDENCE.reversed()).toList(), wrongAndTotal[0], wrongAndTotal[1]);
    }
}
