package io.github.gramian.cli.report;

import io.github.gramian.run.internal.PredictionsFile;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * What {@code predictions.jsonl} tells of images that were answered wrongly.
 *
 * @param mostConfident the mistakes with the highest confidence, the highest first
 * @param wrong how many mistakes there are
 * @param total how many images there are
 */
record Mistakes(List<PredictionsFile.Line> mostConfident, long wrong, long total) {

    private static final Comparator<PredictionsFile.Line> BY_CONFIDENCE =
            Comparator.comparingDouble(PredictionsFile.Line::confidence).thenComparing(PredictionsFile.Line::id);

    /** @param most how many mistakes are kept; a file may have millions */
    static Mistakes read(RunFiles files, int most) {
        PriorityQueue<PredictionsFile.Line> kept = new PriorityQueue<>(BY_CONFIDENCE);
        long[] wrongAndTotal = new long[2];
        files.lines("predictions.jsonl", 1L << 30, bytes -> {
            PredictionsFile.Line line = PredictionsFile.parse(bytes);
            wrongAndTotal[1]++;
            if (line.truth() != line.predicted()) {
                wrongAndTotal[0]++;
                kept.add(line.withoutProbabilities());
                if (kept.size() > most) {
                    kept.remove();
                }
            }
        });
        return new Mistakes(
                kept.stream().sorted(BY_CONFIDENCE.reversed()).toList(), wrongAndTotal[0], wrongAndTotal[1]);
    }
}
