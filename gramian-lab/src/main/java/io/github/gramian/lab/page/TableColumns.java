package io.github.gramian.lab.page;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.lab.grid.ResultTable;
import io.github.gramian.lab.grid.ResultTable.RunCount;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * The columns of figures that all tables of results share. Their heads name what an interval is over and what varies: the
 * spread over seeds on the same test images is much smaller than the error of the accuracy.
 */
final class TableColumns {

    /** Marks columns of text in the line below the head; the others hold figures. */
    static final String TEXT = "---";

    private static final String FIGURE = "---:";

    private record Column(String head, String rule, Function<ResultTable.Row, String> cell) {}

    private final List<Column> columns = new ArrayList<>();

    /** @param rows of one table, which share a reference */
    TableColumns(List<ResultTable.Row> rows) {
        figure("dimensions", row -> Markdown.format("%,d", row.dimensions()));
        figure("runs", row -> row.runs().describe());
        figure("accuracy % (95 % interval over " + resampled(rows) + ")", row -> accuracy(row.accuracy()));
        String varying = varying(rows);
        if (!varying.isEmpty()) {
            figure("± over " + varying, row -> plusMinus(row.spread()));
        }
        figure("difference (95 % interval)", TableColumns::difference);
        if (rows.stream().anyMatch(row -> !sharesAllRuns(row, rows))) {
            figure("reference on shared runs %", TableColumns::referenceAccuracy);
        }
        figure("seconds", row -> Markdown.format("%.1f", row.seconds()));
    }

    private void figure(String head, Function<ResultTable.Row, String> cell) {
        columns.add(new Column(head, FIGURE, cell));
    }

    /** Puts a column of text before the others. */
    void textFirst(String head, Function<ResultTable.Row, String> cell) {
        columns.add(0, new Column(head, TEXT, cell));
    }

    /** Puts a column of text after the others. */
    void textLast(String head, Function<ResultTable.Row, String> cell) {
        columns.add(new Column(head, TEXT, cell));
    }

    List<String> markdown(List<ResultTable.Row> rows) {
        List<String> lines = new ArrayList<>();
        lines.add(line(column -> " " + column.head() + " "));
        lines.add(line(Column::rule));
        rows.forEach(row -> lines.add(line(column -> " " + column.cell().apply(row) + " ")));
        return lines;
    }

    private String line(Function<Column, String> cell) {
        StringBuilder line = new StringBuilder("|");
        columns.forEach(column -> line.append(cell.apply(column)).append('|'));
        return line.toString();
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
        return Markdown.format(
                "%.2f (%.1f … %.1f)", 100 * accuracy.mean(), 100 * accuracy.lower(), 100 * accuracy.upper());
    }

    private static String plusMinus(Spread spread) {
        return Double.isNaN(spread.deviation()) ? "" : Markdown.format("± %.2f", 100 * spread.deviation());
    }

    private static String difference(ResultTable.Row row) {
        ResultTable.Comparison comparison = row.comparison();
        if (comparison == null) {
            return row.reference() ? "**reference**" : "no run in common";
        }
        ImageBootstrap difference = comparison.difference();
        return Markdown.format(
                "%+.2f (%+.2f … %+.2f)", 100 * difference.mean(), 100 * difference.lower(), 100 * difference.upper());
    }

    private static String referenceAccuracy(ResultTable.Row row) {
        return row.comparison() == null
                ? ""
                : Markdown.format(
                        "%.2f", 100 * Objects.requireNonNull(row.comparison()).reference());
    }
}
