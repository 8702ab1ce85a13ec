package io.github.gramian.experiments.results;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.experiments.grid.ResultTable;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All results on one dataset: every method in a table for each protocol, with its figure. */
final class DatasetPage {

    private final String dataset;
    private final DatasetTitles.Title title;
    private final List<ResultTable> tables;
    private final List<Published> published;
    private final StringBuilder page = new StringBuilder();

    DatasetPage(String dataset, DatasetTitles.Title title, List<ResultTable> tables, List<Published> published) {
        this.dataset = dataset;
        this.title = title;
        this.tables = tables;
        this.published = published;
    }

    /** @param figure the file of its figure */
    String markdown(String figure) {
        line("# All results on " + Markdown.text(title.full()));
        line("");
        line("[How to read the columns](README.md#how-to-read-the-tables)." + definition(title));
        line("");
        line("![Accuracies on " + Markdown.text(title.title()) + "](" + figure + ")");
        tables.forEach(this::table);
        others();
        return page.toString();
    }

    static String definition(DatasetTitles.Title title) {
        return title.link().isEmpty()
                ? ""
                : " [Classes, images and splits of " + Markdown.text(title.title()) + "]("
                        + Markdown.plain(title.link()).replaceAll("[()<>\\s]", "") + ").";
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
            line("Figures that others have published, for methods without a row above:");
            line("");
            line("| method | published % |");
            line("|---|---|");
            others.forEach(one -> line("| " + one.name() + " | " + one.cell() + " |"));
        }
    }

    private void table(ResultTable table) {
        line("");
        line("## " + Markdown.text(ProtocolHeading.of(table, tables)));
        line("");
        line(protocol(table.protocol()));
        line("");
        TableColumns columns = new TableColumns(table.rows());
        if (table.grids().size() > 1) {
            columns.textFirst("grid", row -> Markdown.text(row.grid()));
        }
        columns.textFirst("method", row -> Markdown.text(row.label()));
        columns.textLast("published %", row -> published(table, row));
        columns.markdown(table.rows()).forEach(this::line);
    }

    private String published(ResultTable table, ResultTable.Row row) {
        return published.stream()
                .filter(one -> one.datasets().contains(table.dataset())
                        && one.methods().contains(row.method()))
                .map(one -> one.name() + " " + one.cell())
                .collect(Collectors.joining("<br>"));
    }

    /** The evaluation protocol in one sentence. */
    static String protocol(EvaluationProtocol protocol) {
        return "Protocol: "
                + Markdown.text(protocol.dataset() + ", " + protocol.protocol() + "; views: " + protocol.crops())
                + "; data " + Markdown.code(shortened(protocol.contentHash())) + ", weights "
                + Markdown.code(shortened(protocol.weightsHash())) + ".";
    }

    private static String shortened(@Nullable String sum) {
        return sum == null ? "unknown" : sum.substring(0, Math.min(12, sum.length()));
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
