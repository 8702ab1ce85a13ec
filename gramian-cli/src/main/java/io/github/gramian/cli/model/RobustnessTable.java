package io.github.gramian.cli.model;

import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.io.internal.Text;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Accuracies on corrupted images as text: one row per corruption, one column per severity, all in percent. */
final class RobustnessTable {

    private static final String NAME = "%-18s";

    private final Robustness robustness;
    private final List<Integer> severities;

    RobustnessTable(Robustness robustness) {
        this.robustness = robustness;
        this.severities = robustness.corruptions().stream()
                .map(Robustness.Cell::severity)
                .distinct()
                .toList();
    }

    void print(PrintWriter text) {
        text.println("accuracy on corrupted images in percent, by severity:");
        StringBuilder header = new StringBuilder(String.format(Locale.ROOT, NAME, "corruption"));
        severities.forEach(severity -> header.append(String.format(Locale.ROOT, "%7d", severity)));
        text.println(header.append("   mean   loss"));
        robustness.corruptions().stream()
                .map(Robustness.Cell::name)
                .distinct()
                .forEach(name -> text.println(row(
                        name,
                        robustness.corruptions().stream()
                                .filter(cell -> cell.name().equals(name))
                                .map(Robustness.Cell::accuracy)
                                .toList(),
                        robustness.meanOf(name))));
        text.println(row("mean", severities.stream().map(robustness::meanOf).toList(), robustness.mean()));
        text.println(String.format(
                Locale.ROOT,
                "robustness: clean %.1f %%, corrupted %.1f %%, loss %.1f points (%s)",
                100 * robustness.clean(),
                100 * robustness.mean(),
                100 * robustness.loss(),
                Text.count(robustness.images(), "image")));
    }

    private String row(String name, List<Double> accuracies, double mean) {
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, NAME, name));
        accuracies.forEach(accuracy -> row.append(percent(accuracy)));
        return row.append(percent(mean))
                .append(percent(robustness.clean() - mean))
                .toString();
    }

    private static String percent(double fraction) {
        return String.format(Locale.ROOT, "%7.1f", 100 * fraction);
    }
}
