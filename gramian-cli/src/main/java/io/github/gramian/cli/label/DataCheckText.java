package io.github.gramian.cli.label;

import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.model.PredictionFormat;
import io.github.gramian.label.internal.LabelCheck;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** A check as text for people and as CSV for spreadsheets. */
final class DataCheckText {

    /** Longer lists are cut; the page, CSV and JSON have more. */
    private static final int SHOWN = 10;

    private DataCheckText() {}

    static void print(DataCheck check, PrintWriter out) {
        out.println(String.format(
                Locale.ROOT,
                "%s of %s; %s of the labels are predicted without the image itself",
                Numbers.count(check.dataset().samples().size(), "image"),
                Numbers.count(check.dataset().classes().size(), "class"),
                Numbers.percent(check.labels().accuracy())));
        section(
                out,
                "suspicious labels",
                check.labels().suspects(),
                suspect -> String.format(
                        Locale.ROOT,
                        "%s  is labelled %s, looks like %s (%.2f)",
                        suspect.file(),
                        suspect.given(),
                        suspect.suggested(),
                        suspect.score()));
        section(
                out,
                "duplicates",
                check.duplicates(),
                duplicate -> String.join("  ", duplicate.files()) + "  " + duplicate.kind()
                        + (duplicate.classesDiffer() ? ", in different classes" : ""));
        section(
                out,
                "outliers",
                check.labels().outliers(),
                outlier -> String.format(
                        Locale.ROOT, "%s  is labelled %s (%.1f)", outlier.file(), outlier.given(), outlier.score()));
        section(
                out,
                "poor photographs",
                check.inspection().quality(),
                quality -> quality.path() + "  " + quality.problem() + ": " + quality.detail());
        section(out, "broken files", check.inspection().broken(), broken -> broken.path() + "  " + broken.detail());
        section(
                out,
                "leaks from training to test",
                check.leaks(),
                leak -> String.join("  ", leak.files()) + "  " + leak.kind());
        imbalance(check, out);
        out.flush();
    }

    private static void imbalance(DataCheck check, PrintWriter out) {
        List<DataCheck.ClassSize> sizes = check.sizes();
        DataCheck.ClassSize largest = sizes.get(0);
        DataCheck.ClassSize smallest = sizes.get(sizes.size() - 1);
        out.println();
        out.println(String.format(
                Locale.ROOT,
                "balance: the largest class, %s, has %s; the smallest, %s, has %d",
                largest.name(),
                Numbers.count(largest.images(), "image"),
                smallest.name(),
                smallest.images()));
        if (check.imbalance() >= DataCheck.IMBALANCE) {
            out.println("  " + DataCheck.BALANCE_ADVICE);
        }
    }

    private static <T> void section(PrintWriter out, String title, List<T> entries, Function<T, String> describe) {
        out.println();
        out.println(title + ": " + (entries.isEmpty() ? "none" : Numbers.count(entries.size())));
        entries.stream().limit(SHOWN).forEach(entry -> out.println("  " + describe.apply(entry)));
        if (entries.size() > SHOWN) {
            out.println("  … and " + Numbers.count(entries.size() - SHOWN) + " more; --json lists all");
        }
    }

    static void printCsv(DataCheck check, PrintWriter out) {
        out.println("file,given,suggested,score");
        for (LabelCheck.Suspect suspect : check.labels().suspects()) {
            out.println(PredictionFormat.quoted(suspect.file()) + "," + PredictionFormat.quoted(suspect.given()) + ","
                    + PredictionFormat.quoted(suspect.suggested()) + ","
                    + String.format(Locale.ROOT, "%.4f", suspect.score()));
        }
        out.flush();
    }
}
