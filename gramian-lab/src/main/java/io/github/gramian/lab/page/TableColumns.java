package io.github.gramian.lab.page;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.ResultTable;
import io.github.gramian.lab.grid.ResultTable.RunCount;
import io.github.gramian.lab.page.Markdown.Table;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * The columns of figures that all tables of results share. Their heads name what an interval is over and what varies: the
 * spread over seeds on the same test images is much smaller than the error of the accuracy.
 */
final class TableColumns {

    private TableColumns() {}

    /**
     * Adds the columns.
     *
     * @param rows of one table, which share a reference
     */
    static void addTo(Table<ResultTable.Row> table, List<ResultTable.Row> rows) {
        table.figure("dimensions", row -> Text.format("%,d", row.dimensions()));
        table.figure("runs", row -> row.runs().describe());
        table.figure("accuracy % (95 % interval over " + resampled(rows) + ")", row -> accuracy(row.accuracy()));
        String varying = varying(rows);
        if (!varying.isEmpty()) {
            table.figure("± over " + varying, row -> plusMinus(row.spread()));
        }
        table.figure("difference (95 % interval)", TableColumns::difference);
        if (rows.stream().anyMatch(row -> !sharesAllRuns(row, rows))) {
            table.figure("reference on shared runs %", TableColumns::referenceAccuracy);
        }
        table.figure("seconds", row -> Text.format("%.1f", row.seconds()));
    }

    private static String resampled(List<ResultTable.Row> rows) {
        return rows.stream().anyMatch(row -> row.runs().overSplits()) ? "splits and images" : "images";
    }

    /** The runs that the spread covers, such as {@code 3 to 10 splits}; empty if every row has a single run. */
    static String varying(List<ResultTable.Row> rows) {
        List<String> kinds = new ArrayList<>();
        String splits = counted(rows, RunCount::overSplits, RunCount::splits);
        if (!splits.isEmpty()) {
            kinds.add(splits + " splits");
        }
        String seeds = counted(rows, RunCount::overSeeds, RunCount::runs);
        if (!seeds.isEmpty()) {
            kinds.add(seeds + " seeds, same test images");
        }
        return String.join(" or ", kinds);
    }

    private static String counted(
            List<ResultTable.Row> rows, Predicate<RunCount> which, ToIntFunction<RunCount> count) {
        IntSummaryStatistics counts = rows.stream()
                .map(ResultTable.Row::runs)
                .filter(which)
                .mapToInt(count)
                .summaryStatistics();
        if (counts.getCount() == 0) {
            return "";
        }
        return counts.getMin() == counts.getMax()
                ? String.valueOf(counts.getMax())
                : counts.getMin() + " to " + counts.getMax();
    }

    private static boolean sharesAllRuns(ResultTable.Row row, List<ResultTable.Row> rows) {
        ResultTable.Comparison comparison = row.comparison();
        RunCount reference = rows.stream()
                .filter(ResultTable.Row::reference)
                .map(ResultTable.Row::runs)
                .findFirst()
                .orElse(row.runs());
        return comparison == null
                || (comparison.shared().equals(reference) && comparison.shared().equals(row.runs()));
    }

    private static String accuracy(ImageBootstrap accuracy) {
        return Text.format("%.2f (%.1f … %.1f)", 100 * accuracy.mean(), 100 * accuracy.lower(), 100 * accuracy.upper());
    }

    private static String plusMinus(Spread spread) {
        return Double.isNaN(spread.deviation()) ? "" : Text.format("± %.2f", 100 * spread.deviation());
    }

    private static String difference(ResultTable.Row row) {
        ResultTable.Comparison comparison = row.comparison();
        if (comparison == null) {
            return row.reference() ? "**reference**" : "no run in common";
        }
        ImageBootstrap difference = comparison.difference();
        return Text.format(
                "%+.2f (%+.2f … %+.2f)", 100 * difference.mean(), 100 * difference.lower(), 100 * difference.upper());
    }

    private static String referenceAccuracy(ResultTable.Row row) {
        return row.comparison() == null
                ? ""
                : Text.format(
                        "%.2f", 100 * Objects.requireNonNull(row.comparison()).reference());
    }
}
