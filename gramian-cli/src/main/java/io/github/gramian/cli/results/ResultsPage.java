package io.github.gramian.cli.results;

import io.github.gramian.experiment.internal.ResultTable;
import io.github.gramian.experiment.internal.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All results of grids as pages of Markdown with figures: what follows from them, a short table a dataset, and a page
 * a dataset with all of its tables. The same results always give the same bytes.
 */
public final class ResultsPage {

    private static final int MOST_COSTS = 10;
    private static final int MOST_ROWS = 12;
    private static final int LONGEST_NAME = 64;
    private static final String YARDSTICK = "average";

    /** Files that are not a dataset's. */
    private static final Set<String> RESERVED = Set.of("README", "cost", "few", "findings");

    private final Results results;
    private final Map<String, List<ResultTable>> byDataset = new LinkedHashMap<>();
    private final LearningCurves curves;
    private final StringBuilder page = new StringBuilder();

    private ResultsPage(Results results, @Nullable String against) {
        this.results = results;
        List<ResultTable> tables = results.tables(against);
        this.curves = new LearningCurves(tables);
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
     */
    public static Map<String, String> of(Results results, @Nullable String against, String command, String findings)
            throws IOException {
        ResultsPage made = new ResultsPage(results, against);
        List<Published> published = Published.all();
        Map<String, String> files = new LinkedHashMap<>();
        files.put("README.md", made.markdown(command, findings));
        made.byDataset.forEach((dataset, tables) -> {
            String name = made.file(dataset);
            files.put(name + ".md", new DatasetPage(dataset, tables, published).markdown(name + ".svg"));
            files.put(name + ".svg", AccuracyFigure.of(tables));
        });
        if (!made.byDataset.isEmpty()) {
            files.put("cost.svg", made.costFigure());
        }
        if (!made.curves.isEmpty()) {
            files.put("few.svg", made.curves.figure());
        }
        return files;
    }

    /** What a dataset's files are called, in the folder of the page whatever results call the dataset. */
    private String file(String dataset) {
        String plain = dataset.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^\\.", "_");
        String cut = plain.substring(0, Math.min(plain.length(), LONGEST_NAME));
        return cut.equals(dataset) && !RESERVED.contains(cut)
                ? cut
                : cut + "+" + List.copyOf(byDataset.keySet()).indexOf(dataset);
    }

    private String markdown(String command, String findings) {
        line("# Results");
        if (!findings.isBlank()) {
            line("");
            line(findings.strip());
        }
        if (!curves.isEmpty()) {
            line("");
            line("## Few labelled images");
            line("");
            line("![Accuracy over the number of training images](few.svg)");
            curves.markdown().forEach(this::line);
        }
        if (!byDataset.isEmpty()) {
            line("");
            line("## Accuracy and cost");
            line("");
            line("![Accuracy over the seconds of a run](cost.svg)");
            line("");
            line(
                    "Each point is a method, its features computed beforehand; numbered are those that no quicker one equals.");
        }
        byDataset.forEach(this::dataset);
        reading(command);
        costs();
        return page.toString();
    }

    /** The dataset's table with the most runs, cut to the best and the best known. */
    private void dataset(String dataset, List<ResultTable> tables) {
        ResultTable main = main(tables);
        line("");
        line("## " + Markdown.text(dataset));
        line("");
        List<ResultTable.Row> rows = shortened(main);
        line(Markdown.text(ProtocolHeading.of(main.passport())) + ", grid "
                + Markdown.text(rows.get(0).grid()) + ". " + DatasetPage.protocol(main.passport()));
        line("");
        line("| method | numbers | runs | accuracy % | difference | seconds |");
        line("|---|---:|---:|---:|---:|---:|");
        for (ResultTable.Row row : rows) {
            line(String.format(
                    Locale.ROOT,
                    "| %s | %,d | %d | %s | %s | %.1f |",
                    Markdown.text(row.label()),
                    row.numbers(),
                    row.accuracy().runs(),
                    DatasetPage.spread(row.accuracy()),
                    DatasetPage.difference(row),
                    row.seconds()));
        }
        int all = tables.stream().mapToInt(table -> table.rows().size()).sum();
        line("");
        line("[All " + all + " rows, other sizes and views, published figures](" + file(dataset) + ".md).");
    }

    private static ResultTable main(List<ResultTable> tables) {
        return tables.stream()
                .max(Comparator.comparingInt(table -> table.rows().stream()
                        .mapToInt(row -> row.accuracy().runs())
                        .sum()))
                .orElseThrow();
    }

    /** The best rows of the grid with the most runs, which differ in one thing, and the yardstick of all of them. */
    private static List<ResultTable.Row> shortened(ResultTable table) {
        Map<String, Integer> runs = new LinkedHashMap<>();
        table.rows().forEach(row -> runs.merge(row.grid(), row.accuracy().runs(), Integer::sum));
        String grid = runs.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        List<ResultTable.Row> rows =
                table.rows().stream().filter(row -> row.grid().equals(grid)).toList();
        return rows.stream()
                .filter(row -> rows.indexOf(row) < MOST_ROWS - 1 || row.method().equals(YARDSTICK))
                .toList();
    }

    private String costFigure() {
        List<PanelFigure.Panel> panels = new ArrayList<>();
        byDataset.forEach((dataset, tables) -> {
            List<ResultTable.Row> rows = main(tables).rows();
            panels.add(new PanelFigure.Panel(
                    dataset,
                    rows.stream()
                            .map(row -> new PanelFigure.Series(
                                    isFront(row, rows) ? row.label() : "",
                                    List.of(new PanelFigure.Point(
                                            row.seconds(), 100 * row.accuracy().mean(), 0))))
                            .toList()));
        });
        return PanelFigure.of(panels, "seconds of a run; accuracy in %");
    }

    private static boolean isFront(ResultTable.Row row, List<ResultTable.Row> all) {
        return all.stream()
                .noneMatch(other -> other.seconds() < row.seconds()
                        && other.accuracy().mean() >= row.accuracy().mean());
    }

    private void reading(String command) {
        line("");
        line("## How to read the tables");
        line("");
        line("Made from the raw results by " + Markdown.code(command)
                + "; do not edit. Every table is of one protocol: runs that were"
                + " measured otherwise stand in another. The accuracy is on test images, mean ± standard deviation of the"
                + " sample over runs (splits and seeds). *Difference* is to the row marked **0**, in points, over the runs"
                + " that both have, with a 95 % interval of a paired bootstrap over splits, runs and images."
                + " *Wilcoxon* is the signed-rank test over runs (n runs never give a p below 2/2ⁿ)."
                + " *McNemar* tells in how many runs the test on images has p < 0.05, and p over the images of all splits,"
                + " one seed each. No p is corrected for the number of rows. *Published* figures are not ours.");
    }

    private void costs() {
        List<Results.Cost> costs = results.costs();
        double total = costs.stream().mapToDouble(Results.Cost::seconds).sum();
        line("");
        line("## Cost");
        line("");
        line(String.format(
                Locale.ROOT,
                "All %d runs together took %.1f hours, features included where a run was the first to need them, on: %s."
                        + " The most expensive parts:",
                results.runs().size(),
                total / 3600,
                results.runs().stream()
                        .map(run -> Markdown.text(String.valueOf(run.passport().hardware())))
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining("; "))));
        line("");
        line("| dataset | method | grid | runs | hours | share |");
        line("|---|---|---|---:|---:|---:|");
        costs.stream()
                .limit(MOST_COSTS)
                .forEach(cost -> line(String.format(
                        Locale.ROOT,
                        "| %s | %s | %s | %d | %.2f | %.0f %% |",
                        Markdown.text(cost.dataset()),
                        Markdown.text(cost.label()),
                        Markdown.text(cost.grid()),
                        cost.runs(),
                        cost.seconds() / 3600,
                        100 * cost.seconds() / Math.max(total, 1e-9))));
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
