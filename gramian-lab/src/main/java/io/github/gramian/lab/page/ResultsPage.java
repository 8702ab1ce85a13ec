package io.github.gramian.lab.page;

import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.ResultTable;
import io.github.gramian.lab.grid.Results;
import io.github.gramian.lab.page.DatasetPage.Published;
import io.github.gramian.lab.page.Markdown.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All results of grids as pages of Markdown with figures: what follows from them, a short table a dataset, and a page
 * a dataset with all of its tables. The same results always give the same bytes.
 */
final class ResultsPage {

    private static final int MAX_COSTS = 10;
    private static final int MAX_ROWS = 12;
    private static final String BASELINE = "average";

    /** Meaning of the columns. */
    private static final List<String> READING = List.of(
            "- **Runs**: \"10 splits\" are 10 different splits into training and test images. \"5 seeds\" are 5 trainings"
                    + " with one split, evaluated on the same test images.",
            "- **Accuracy**: mean over splits, and over seeds within a split. Its 95 % interval comes from a bootstrap with"
                    + " 10,000 resamples. With one split, a resample draws test images with replacement. With several splits,"
                    + " it draws splits, and then images within each drawn split. Predictions of several seeds on the same"
                    + " image are averaged first. Splits of one dataset share images, so intervals over splits are too"
                    + " narrow rather than too wide.",
            "- **±**: standard deviation over the splits or seeds that the column names. Over seeds it shows what the"
                    + " initialisation and the order of the images change. It does not cover other test images.",
            "- **Difference**: accuracy minus that of the row marked **reference**, in points, over the runs that both rows"
                    + " have. Its 95 % interval is a paired bootstrap: each resample takes the same splits and images for both"
                    + " rows. Rows are sorted by this difference. The reference is the best of the rows with the most runs."
                    + " Intervals are not corrected for the number of rows.",
            "- **Reference on shared runs**: accuracy of the reference on the runs that both rows have. Compare a row with"
                    + " this figure if the row has fewer runs than the reference.",
            "- **Published**: figures of other authors. *Not comparable* means another class set, another backbone or other"
                    + " image sizes.");

    private final Results results;
    private final DatasetTitles titles;
    private final Map<String, List<ResultTable>> byDataset = new LinkedHashMap<>();
    private final LearningCurves curves;
    private final Markdown page = new Markdown();

    private ResultsPage(Results results, @Nullable String against, DatasetTitles titles) {
        this.results = results;
        this.titles = titles;
        List<ResultTable> tables = results.tables(against);
        this.curves = new LearningCurves(tables, titles);
        tables.stream()
                .filter(table -> !LearningCurves.isPartOf(table))
                .forEach(table -> byDataset
                        .computeIfAbsent(table.dataset(), unused -> new ArrayList<>())
                        .add(table));
    }

    /**
     * The files by name: {@code README.md}, {@code dataset.md} and {@code dataset.svg} for each dataset, and figures.
     *
     * @param against method that the others are compared with; null for the best of those with the most runs
     * @param command that makes it again
     * @param findings what people have read from the results, as Markdown; may be empty
     * @param titles what the datasets are called
     */
    static Map<String, String> of(
            Results results, @Nullable String against, String command, String findings, DatasetTitles titles)
            throws IOException {
        ResultsPage made = new ResultsPage(results, against, titles);
        List<Published> published = Published.all();
        Map<String, String> files = new LinkedHashMap<>();
        files.put("README.md", made.markdown(command, findings));
        made.byDataset.forEach((dataset, tables) -> {
            files.put(
                    dataset + ".md",
                    new DatasetPage(dataset, titles.of(dataset), tables, published).markdown(dataset + ".svg"));
            files.put(dataset + ".svg", DatasetPage.AccuracyFigure.of(tables));
        });
        if (!made.byDataset.isEmpty()) {
            files.put("cost.svg", made.costFigure());
        }
        if (!made.curves.isEmpty()) {
            files.put("few.svg", made.curves.figure());
        }
        return files;
    }

    private String markdown(String command, String findings) {
        page.line("# Results");
        if (!findings.isBlank()) {
            page.paragraph(findings.strip());
        }
        if (!curves.isEmpty()) {
            page.paragraph("## Few labelled images");
            page.paragraph("![Accuracy over the number of training images](few.svg)");
            curves.addTo(page);
        }
        if (!byDataset.isEmpty()) {
            page.paragraph("## Accuracy and cost");
            page.paragraph("![Accuracy over the seconds of a run](cost.svg)");
            page.paragraph(
                    "Each point is a method. The time does not include computing features. A number marks each method that no"
                            + " faster method equals in accuracy.");
        }
        byDataset.forEach(this::dataset);
        reading(command);
        costs();
        return page.toString();
    }

    /** The dataset's table with the most runs, cut to the best and the best known. */
    private void dataset(String dataset, List<ResultTable> tables) {
        ResultTable main = main(tables);
        page.paragraph("## " + Markdown.text(titles.of(dataset).full()));
        String grid = largestGrid(main);
        List<ResultTable.Row> rows = shortened(main, grid);
        page.paragraph(Markdown.text(DatasetPage.heading(main.protocol())) + ", grid " + Markdown.text(grid) + ". "
                + DatasetPage.protocol(main.protocol()) + DatasetPage.definition(titles.of(dataset)));
        Table<ResultTable.Row> columns = new Table<>();
        columns.text(
                "method",
                row -> Markdown.text(row.grid().equals(grid) ? row.label() : row.label() + ", grid " + row.grid()));
        TableColumns.addTo(columns, rows);
        page.table(columns, rows);
        int all = tables.stream().mapToInt(table -> table.rows().size()).sum();
        page.paragraph("[All " + all + " rows, other sizes and views, published figures](" + dataset + ".md).");
    }

    private static ResultTable main(List<ResultTable> tables) {
        return tables.stream()
                .max(Comparator.comparingInt(table ->
                        table.rows().stream().mapToInt(row -> row.runs().runs()).sum()))
                .orElseThrow();
    }

    private static String largestGrid(ResultTable table) {
        Map<String, Integer> runs = new LinkedHashMap<>();
        table.rows().forEach(row -> runs.merge(row.grid(), row.runs().runs(), Integer::sum));
        return runs.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    /** The best rows of a grid, its baseline, and the reference of the table, which may be of another grid. */
    private static List<ResultTable.Row> shortened(ResultTable table, String grid) {
        List<ResultTable.Row> best = table.rows().stream()
                .filter(row -> row.grid().equals(grid))
                .limit(MAX_ROWS - 1)
                .toList();
        return table.rows().stream()
                .filter(row -> best.contains(row)
                        || row.reference()
                        || (row.grid().equals(grid) && row.method().equals(BASELINE)))
                .toList();
    }

    private String costFigure() {
        List<PanelFigure.Panel> panels = new ArrayList<>();
        byDataset.forEach((dataset, tables) -> {
            List<ResultTable.Row> rows = main(tables).rows();
            panels.add(new PanelFigure.Panel(
                    titles.of(dataset).full(),
                    rows.stream()
                            .map(row -> new PanelFigure.Series(
                                    isFront(row, rows) ? row.label() : "",
                                    List.of(new PanelFigure.Point(
                                            row.seconds(), 100 * row.accuracy().mean(), 0))))
                            .toList()));
        });
        return PanelFigure.of(panels, "seconds per run; accuracy in %");
    }

    private static boolean isFront(ResultTable.Row row, List<ResultTable.Row> all) {
        return all.stream()
                .noneMatch(other -> other.seconds() < row.seconds()
                        && other.accuracy().mean() >= row.accuracy().mean());
    }

    private void reading(String command) {
        page.paragraph("## How to read the tables");
        page.paragraph(Markdown.code(command) + " generates these pages from the raw results. Do not edit them."
                + " Each table has one protocol; runs under another protocol are in another table."
                + " *Data* and *weights* are the first 12 digits of a SHA-256.");
        page.line("");
        READING.forEach(page::line);
    }

    private void costs() {
        List<Results.Cost> costs = results.costs();
        double total = costs.stream().mapToDouble(Results.Cost::seconds).sum();
        page.paragraph("## Cost");
        page.paragraph(Text.format(
                "All %d runs together took %.1f hours on: %s. The first run that needs a feature computes it, and its time"
                        + " includes that. The most expensive parts, on %s:",
                results.runs().size(),
                total / 3600,
                results.runs().stream()
                        .map(run -> Markdown.text(String.valueOf(run.passport().hardware())))
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining("; ")),
                costs.stream()
                        .limit(MAX_COSTS)
                        .map(cost -> titles.of(cost.dataset()))
                        .distinct()
                        .map(title -> Markdown.text(
                                title.about().isEmpty() ? title.title() : title.title() + " (" + title.about() + ")"))
                        .collect(Collectors.joining(", "))));
        page.table(
                new Table<Results.Cost>()
                        .text(
                                "dataset",
                                cost -> Markdown.text(titles.of(cost.dataset()).title()))
                        .text("method", cost -> Markdown.text(cost.label()))
                        .text("grid", cost -> Markdown.text(cost.grid()))
                        .figure("runs", cost -> String.valueOf(cost.runs()))
                        .figure("hours", cost -> Text.format("%.2f", cost.seconds() / 3600))
                        .figure("share", cost -> Text.format("%.0f %%", 100 * cost.seconds() / Math.max(total, 1e-9))),
                costs.stream().limit(MAX_COSTS).toList());
    }
}
