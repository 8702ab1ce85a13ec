package io.github.gramian.experiments.grid;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Estimates how long the remaining runs will take: the mean of finished runs of the same method on the same dataset;
 * without such runs, of the dataset; otherwise, of all.
 */
final class TimeLeft {

    private final Map<String, double[]> sums = new HashMap<>();

    void learn(GridRun run, double seconds) {
        for (String key : keys(run)) {
            double[] sum = sums.computeIfAbsent(key, unused -> new double[2]);
            sum[0] += seconds;
            sum[1]++;
        }
    }

    /** Seconds for all of these; unknown before the first run is done. */
    OptionalDouble of(List<GridRun> left) {
        double total = 0;
        for (GridRun run : left) {
            double[] sum = null;
            for (String key : keys(run)) {
                sum = sum == null ? sums.get(key) : sum;
            }
            if (sum == null) {
                return OptionalDouble.empty();
            }
            total += sum[0] / sum[1];
        }
        return OptionalDouble.of(total);
    }

    private static List<String> keys(GridRun run) {
        return List.of(run.dataset() + "/" + run.method(), run.dataset(), "");
    }
}
