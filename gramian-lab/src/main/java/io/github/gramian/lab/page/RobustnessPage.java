package io.github.gramian.lab.page;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.RobustnessResult;
import io.github.gramian.lab.page.Markdown.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The models of grids on corrupted images as a page of Markdown. The same results always give the same bytes. */
final class RobustnessPage {

    /** The methods that all others are compared with, if a grid has them. */
    private static final List<String> REFERENCES = List.of("kernel", "average");

    private final DatasetTitles titles;
    private final Markdown page = new Markdown();

    private RobustnessPage(DatasetTitles titles) {
        this.titles = titles;
    }

    /**
     * The page.
     *
     * @param command that makes it again
     */
    static String of(List<RobustnessResult> results, String command, DatasetTitles titles) {
        RobustnessPage made = new RobustnessPage(titles);
        made.page.line("# Robustness");
        made.page.paragraph(Markdown.code(command) + " generates this page from the raw results. Do not edit it.");
        made.reading();
        Map<String, List<RobustnessResult>> groups = new TreeMap<>();
        for (RobustnessResult result : results) {
            String key = result.cell().dataset() + " " + result.cell().grid() + " " + result.images();
            groups.computeIfAbsent(key, unused -> new ArrayList<>()).add(result);
        }
        groups.values().forEach(made::dataset);
        return made.page.toString();
    }

    private void reading() {
        page.paragraph("- **Clean**: accuracy in percent on the same test images without corruption.");
        page.line(
                "- **Corrupted**: mean accuracy in percent over all corruptions and severities, with a 95 % interval from a"
                        + " bootstrap over images. All corrupted copies of an image are drawn together.");
        page.line(
                "- **Minus**: difference in points to another row, with a 95 % interval from a paired bootstrap over the same"
                        + " images. An interval without 0 is set in bold. Intervals are not corrected for the number of rows.");
        page.line(
                "- **Fitted types, other types**: mean over the corruptions that the classifier of the last rows was fitted to, and"
                        + " over those that it has never seen.");
    }

    private void dataset(List<RobustnessResult> unsorted) {
        List<RobustnessResult> rows = unsorted.stream()
                .sorted(Comparator.comparingDouble(RobustnessResult::corruptedAccuracy)
                        .reversed()
                        .thenComparing(row -> row.cell().method()))
                .toList();
        RobustnessResult first = rows.get(0);
        DatasetTitles.Title title = titles.of(first.cell().dataset());
        page.paragraph("## " + Markdown.text(title.full()));
        page.paragraph(Text.format(
                "Grid %s, split %d, seed %d: %d test images, %d corruptions, %s %s.%s",
                Markdown.text(first.cell().grid()),
                first.cell().split(),
                first.cell().seed(),
                first.clean().length(),
                first.names().size(),
                first.severities().size() == 1 ? "severity" : "severities",
                first.severities().stream().map(String::valueOf).collect(Collectors.joining(", ")),
                DatasetPage.definition(title)));
        List<RobustnessResult> references = REFERENCES.stream()
                .flatMap(name -> rows.stream()
                        .filter(row -> row.cell().method().equals(name))
                        .limit(1))
                .toList();
        List<String> fitted =
                rows.stream().flatMap(row -> row.fitted().stream()).distinct().toList();
        means(rows, references, fitted);
        types(rows);
    }

    private void means(List<RobustnessResult> rows, List<RobustnessResult> references, List<String> fitted) {
        Table<RobustnessResult> columns = new Table<>();
        columns.text("method", row -> Markdown.text(row.cell().label()));
        columns.figure("clean", row -> percent(row.cleanAccuracy().mean()));
        List<ImageBootstrap> means = rows.stream().map(RobustnessResult::mean).toList();
        Function<RobustnessResult, ImageBootstrap> mean = row -> means.get(rows.indexOf(row));
        columns.figure("corrupted", row -> percent(mean.apply(row).mean()));
        columns.text(
                "95 %",
                row -> percent(mean.apply(row).lower()) + "–"
                        + percent(mean.apply(row).upper()));
        for (RobustnessResult reference : references) {
            columns.text("minus " + Markdown.text(reference.cell().label()), row -> difference(row, reference));
        }
        if (!fitted.isEmpty()) {
            columns.figure("fitted types", row -> percent(row.meanWhere(true, fitted)));
            columns.figure("other types", row -> percent(row.meanWhere(false, fitted)));
        }
        page.table(columns, rows);
        if (!fitted.isEmpty()) {
            page.paragraph(
                    "Fitted types: " + fitted.stream().map(Markdown::code).collect(Collectors.joining(", ")) + ".");
        }
    }

    private static String difference(RobustnessResult row, RobustnessResult reference) {
        if (row.equals(reference)) {
            return "–";
        }
        if (!row.isComparableWith(reference)) {
            return "not evaluated on the same images";
        }
        ImageBootstrap difference = row.minus(reference);
        String text = Text.format(
                "%+.1f (%+.1f to %+.1f)", 100 * difference.mean(), 100 * difference.lower(), 100 * difference.upper());
        return difference.lower() > 0 || difference.upper() < 0 ? "**" + text + "**" : text;
    }

    /** Accuracy per corruption, one column per method. */
    private void types(List<RobustnessResult> rows) {
        page.paragraph("Accuracy in percent per corruption:");
        Table<String> columns = new Table<String>().text("corruption", Markdown::code);
        for (RobustnessResult row : rows) {
            columns.figure(
                    Markdown.text(row.cell().label()),
                    name -> row.names().contains(name) ? percent(row.of(name)) : "–");
        }
        page.table(columns, rows.get(0).names());
    }

    private static String percent(OptionalDouble share) {
        return share.isPresent() ? percent(share.getAsDouble()) : "–";
    }

    private static String percent(double share) {
        return Text.format("%.1f", 100 * share);
    }
}
