package io.github.gramian.eval.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two methods on the runs that they share.
 *
 * @param runs how many
 * @param bootstrap the mean difference, the second method's accuracy minus the first's, and its interval
 * @param wilcoxon over the runs' differences
 * @param significant runs whose McNemar p is below 0.05
 * @param pooled McNemar's test over all images, one run for each list of images: another seed on the same images is not new
 *     evidence about images
 */
public record PairedComparison(
        int runs, PairedBootstrap bootstrap, WilcoxonSignedRank wilcoxon, int significant, McNemar pooled) {

    private static final double LEVEL = 0.05;

    /** Compares the two models of these runs. */
    public static PairedComparison of(List<PairedRun> runs, long seed) {
        Map<String, McNemar> byImages = new LinkedHashMap<>();
        int significant = 0;
        for (PairedRun run : runs) {
            McNemar test = run.mcNemar();
            byImages.putIfAbsent(run.images(), test);
            significant += test.p() < LEVEL ? 1 : 0;
        }
        int onlyFirst = byImages.values().stream().mapToInt(McNemar::onlyFirst).sum();
        int onlySecond =
                byImages.values().stream().mapToInt(McNemar::onlySecond).sum();
        return new PairedComparison(
                runs.size(),
                PairedBootstrap.of(runs, seed),
                WilcoxonSignedRank.of(
                        runs.stream().map(PairedRun::meanDifference).toList()),
                significant,
                McNemar.ofCounts(onlyFirst, onlySecond));
    }
}
