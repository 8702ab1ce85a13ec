package io.github.gramian.experiments.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.experiments.grid.ResultTable;
import io.github.gramian.experiments.grid.RunCount;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableColumnsTest {

    private static ResultTable.Row row(RunCount runs, double accuracy, ResultTable.@Nullable Comparison comparison) {
        return new ResultTable.Row(
                "grid",
                "method",
                "Method",
                2048,
                runs,
                new ImageBootstrap(accuracy, accuracy - 0.02, accuracy + 0.02),
                new Spread(runs.runs(), accuracy, runs.runs() == 1 ? Double.NaN : 0.004),
                1.5,
                comparison == null,
                comparison);
    }

    private static ResultTable.Comparison comparison(RunCount shared, double reference, double difference) {
        return new ResultTable.Comparison(
                shared, reference, new ImageBootstrap(difference, difference - 0.01, difference + 0.01));
    }

    private static List<String> table(ResultTable.Row... rows) {
        return new TableColumns(List.of(rows)).markdown(List.of(rows));
    }

    @Test
    void seeds_on_the_same_test_images_are_named_so() {
        RunCount seeds = new RunCount(5, 1);
        assertThat(table(row(seeds, 0.86, null), row(seeds, 0.85, comparison(seeds, 0.86, -0.01))))
                .containsExactly(
                        "| dimensions | runs | accuracy % (95 % interval over images) | ± over 5 seeds, same test images"
                                + " | difference (95 % interval) | seconds |",
                        "|---:|---:|---:|---:|---:|---:|",
                        "| 2,048 | 5 seeds | 86.00 (84.0 … 88.0) | ± 0.40 | **reference** | 1.5 |",
                        "| 2,048 | 5 seeds | 85.00 (83.0 … 87.0) | ± 0.40 | -1.00 (-2.00 … +0.00) | 1.5 |");
    }

    @Test
    void a_row_with_fewer_splits_shows_the_reference_on_them() {
        RunCount all = new RunCount(10, 10);
        RunCount few = new RunCount(3, 3);
        List<String> lines = table(row(all, 0.73, null), row(few, 0.74, comparison(few, 0.75, -0.01)));
        assertThat(lines.get(0))
                .contains("over splits and images", "± over 3 to 10 splits |", "reference on shared runs %");
        assertThat(lines.get(3)).contains("| 3 splits | 74.00 (72.0 … 76.0) |", "| 75.00 | 1.5 |");
    }

    @Test
    void a_single_run_has_no_spread() {
        RunCount one = new RunCount(1, 1);
        assertThat(String.join("\n", table(row(one, 0.8, null), row(one, 0.7, comparison(one, 0.8, -0.1)))))
                .contains("1 run", "interval over images")
                .doesNotContain("±");
    }
}
