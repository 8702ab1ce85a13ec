package io.github.gramian.cli.results;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.PairedComparison;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.experiment.internal.ResultTable;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All results on one dataset: every method in a table for each protocol, with its figure. */
final class DatasetPage {

    private final String dataset;
    private final List<ResultTable> tables;
    private final List<Published> published;
    private final StringBuilder page = new StringBuilder();

    DatasetPage(String dataset, List<ResultTable> tables, List<Published> published) {
        this.dataset = dataset;
        this.tables = tables;
        this.published = published;
    }

    /** @param figure the file of its figure */
    String markdown(String figure) {
        line("# All results on " + Markdown.text(dataset));
        line("");
        line("[How to read the columns](README.md#how-to-read-the-tables).");
        line("");
        line("![Accuracies on " + Markdown.text(dataset) + "](" + figure + ")");
        tables.forEach(this::table);
        others();
        return page.toString();
    }

    private void others() {
        List<Published> others = published.stream()
                .filter(one -> one.datasets().contains(dataset))
                .filter(one -> tables.stream()
                        .flatMap(table -> table.rows().stream())
                        .noneMatch(row -> one.methods().contains(row.method())))
                .toList();
        if (!others.isEmpty()) {
            line("");
            line("Published by others, without a row of ours:");
            line("");
            line("| method | published |");
            line("|---|---|");
            others.forEach(one -> line("| " + one.name() + " | " + one.cell() + " |"));
        }
    }

    private void table(ResultTable table) {
        line("");
        line("## " + Markdown.text(ProtocolHeading.of(table, tables)));
        line("");
        line(protocol(table.passport()));
        line("");
        boolean several = table.grids().size() > 1;
        line("| method |" + (several ? " grid |" : "")
                + " numbers | runs | accuracy % | difference | Wilcoxon p | McNemar | seconds | published % |");
        line("|---|" + (several ? "---|" : "") + "---:|---:|---:|---:|---:|---:|---:|---|");
        for (ResultTable.Row row : table.rows()) {
            String beside = published.stream()
                    .filter(one -> one.datasets().contains(table.dataset())
                            && one.methods().contains(row.method()))
                    .map(one -> one.name() + " " + one.cell())
                    .collect(Collectors.joining("<br>"));
            line("| " + Markdown.text(row.label()) + " |" + (several ? " " + Markdown.text(row.grid()) + " |" : "")
                    + String.format(
                            Locale.ROOT,
                            " %,d | %d | %s | %s | %.1f | %s |",
                            row.numbers(),
                            row.accuracy().runs(),
                            spread(row.accuracy()),
                            compared(row),
                            row.seconds(),
                            beside));
        }
    }

    /** What was measured, in a sentence. */
    static String protocol(EvaluationProtocol passport) {
        return "Protocol: "
                + Markdown.text(passport.dataset() + ", " + passport.protocol() + "; views: " + passport.crops())
                + "; data " + Markdown.code(shortened(passport.contentHash())) + ", weights "
                + Markdown.code(shortened(passport.weightsHash())) + ".";
    }

    /** Mean ± standard deviation, in per cent. */
    static String spread(Spread accuracy) {
        return Double.isNaN(accuracy.deviation())
                ? String.format(Locale.ROOT, "%.2f", 100 * accuracy.mean())
                : String.format(Locale.ROOT, "%.2f ± %.2f", 100 * accuracy.mean(), 100 * accuracy.deviation());
    }

    /** The difference to the reference with its interval; <b>0</b> for the reference itself. */
    static String difference(ResultTable.Row row) {
        PairedComparison comparison = row.comparison();
        if (comparison == null) {
            return row.reference() ? "**0**" : "no run in common";
        }
        String fewer = comparison.runs() < row.accuracy().runs() ? ", " + comparison.runs() + " runs" : "";
        return String.format(
                Locale.ROOT,
                "%+.2f (%+.2f … %+.2f%s)",
                100 * comparison.bootstrap().difference(),
                100 * comparison.bootstrap().lower(),
                100 * comparison.bootstrap().upper(),
                fewer);
    }

    private static String compared(ResultTable.Row row) {
        PairedComparison comparison = row.comparison();
        return difference(row)
                + (comparison == null
                        ? " | | "
                        : String.format(
                                Locale.ROOT,
                                " | %s | %d of %d, %s",
                                probability(comparison.wilcoxon().p()),
                                comparison.significant(),
                                comparison.runs(),
                                probability(comparison.pooled().p())));
    }

    private static String probability(double p) {
        return p < 0.0001 ? "< 0.0001" : String.format(Locale.ROOT, "%.4f", p);
    }

    private static String shortened(@Nullable String sum) {
        return sum == null ? "unknown" : sum.substring(0, Math.min(12, sum.length()));
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
