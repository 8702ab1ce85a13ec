package io.github.gramian.lab.page;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.lab.grid.RobustnessResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The models of grids on corrupted images as a page of Markdown. The same results always give the same bytes. */
final class RobustnessPage {

    /** The methods that all others are compared with, if a grid has them. */
    private static final List<String> REFERENCES = List.of("kernel", "average");

    private final DatasetTitles titles;
    private final StringBuilder page = new StringBuilder();

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
        made.line("# Robustness");
        made.line("");
        made.line(Markdown.code(command) + " generates this page from the raw results. Do not edit it.");
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
        line("");
        line("- **Clean**: accuracy in percent on the same test images without corruption.");
        line(
                "- **Corrupted**: mean accuracy in percent over all corruptions and severities, with a 95 % interval from a"
                        + " bootstrap over images. All corrupted copies of an image are drawn together.");
        line(
                "- **Minus**: difference in points to another row, with a 95 % interval from a paired bootstrap over the same"
                        + " images. An interval without 0 is set in bold. Intervals are not corrected for the number of rows.");
        line(
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
        line("");
        line("## " + Markdown.text(title.full()));
        line("");
        line(Markdown.format(
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
        StringBuilder header = new StringBuilder("| method | clean | corrupted | 95 % |");
        StringBuilder rule = new StringBuilder("|---|---:|---:|---|");
        for (RobustnessResult reference : references) {
            header.append(" minus ")
                    .append(Markdown.text(reference.cell().label()))
                    .append(" |");
            rule.append("---|");
        }
        if (!fitted.isEmpty()) {
            header.append(" fitted types | other types |");
            rule.append("---:|---:|");
        }
        line("");
        line(header.toString());
        line(rule.toString());
        for (RobustnessResult row : rows) {
            ImageBootstrap mean = row.mean();
            StringBuilder text =
                    new StringBuilder("| " + Markdown.text(row.cell().label()) + " | "
                            + percent(row.cleanAccuracy().mean()) + " | " + percent(mean.mean()) + " | "
                            + percent(mean.lower()) + "–"
                            + percent(mean.upper()) + " |");
            for (RobustnessResult reference : references) {
                text.append(' ').append(difference(row, reference)).append(" |");
            }
            if (!fitted.isEmpty()) {
                text.append(' ').append(percent(row.meanWhere(true, fitted)));
                text.append(" | ").append(percent(row.meanWhere(false, fitted))).append(" |");
            }
            line(text.toString());
        }
        if (!fitted.isEmpty()) {
            line("");
            line("Fitted types: " + fitted.stream().map(Markdown::code).collect(Collectors.joining(", ")) + ".");
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
        String text = Markdown.format(
                "%+.1f (%+.1f to %+.1f)", 100 * difference.mean(), 100 * difference.lower(), 100 * difference.upper());
        return difference.lower() > 0 || difference.upper() < 0 ? "**" + text + "**" : text;
    }

    /** Accuracy per corruption, one column per method. */
    private void types(List<RobustnessResult> rows) {
        line("");
        line("Accuracy in percent per corruption:");
        line("");
        line("| corruption |"
                + rows.stream()
                        .map(row -> " " + Markdown.text(row.cell().label()) + " |")
                        .collect(Collectors.joining()));
        line("|---|" + "---:|".repeat(rows.size()));
        for (String name : rows.get(0).names()) {
            line("| " + Markdown.code(name) + " |"
                    + rows.stream()
                            .map(row -> " "
                                    + Optional.of(row)
                                            .filter(one -> one.names().contains(name))
                                            .map(one -> percent(one.of(name)))
                                            .orElse("–")
                                    + " |")
                            .collect(Collectors.joining()));
        }
    }

    private static String percent(OptionalDouble share) {
        return share.isPresent() ? percent(share.getAsDouble()) : "–";
    }

    private static String percent(double share) {
        return Markdown.format("%.1f", 100 * share);
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
