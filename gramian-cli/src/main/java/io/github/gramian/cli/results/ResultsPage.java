package io.github.gramian.cli.results;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.PairedComparison;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.experiment.internal.ResultTable;
import io.github.gramian.experiment.internal.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All results of grids as one page of Markdown with a figure a dataset. The same results always give the same bytes. */
public final class ResultsPage {

    private static final int MOST_COSTS = 10;
    private static final int LONGEST_NAME = 64;

    private final Results results;
    private final List<ResultTable> tables;
    private final List<Published> published;
    private final String command;
    private final StringBuilder page = new StringBuilder();

    private ResultsPage(Results results, @Nullable String against, String command) throws IOException {
        this.results = results;
        this.tables = results.tables(against);
        this.published = Published.all();
        this.command = command;
    }

    /**
     * The files of the page by name: {@code README.md}, and {@code dataset.svg} for each dataset.
     *
     * @param against method that the others are compared with; null for the best of those with the most runs
     * @param command that makes it again
     */
    public static Map<String, String> of(Results results, @Nullable String against, String command) throws IOException {
        ResultsPage made = new ResultsPage(results, against, command);
        Map<String, String> files = new LinkedHashMap<>();
        files.put("README.md", made.markdown());
        made.byDataset().forEach((dataset, some) -> files.put(made.figure(dataset), AccuracyFigure.of(some)));
        return files;
    }

    /** The file of a dataset's figure, in the folder of the page whatever results call the dataset. */
    private String figure(String dataset) {
        String plain = dataset.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^\\.", "_");
        String cut = plain.substring(0, Math.min(plain.length(), LONGEST_NAME));
        return (cut.equals(dataset)
                        ? cut
                        : cut + "+" + List.copyOf(byDataset().keySet()).indexOf(dataset)) + ".svg";
    }

    private Map<String, List<ResultTable>> byDataset() {
        Map<String, List<ResultTable>> byDataset = new LinkedHashMap<>();
        tables.forEach(table -> byDataset
                .computeIfAbsent(table.dataset(), unused -> new ArrayList<>())
                .add(table));
        return byDataset;
    }

    private String markdown() {
        line("# Results");
        line("");
        line("Made from the raw results by " + Markdown.code(command)
                + "; do not edit. Every table is of one protocol: runs that were"
                + " measured otherwise stand in another. The accuracy is on test images, mean ± standard deviation of the"
                + " sample over runs (splits and seeds). *Difference* is to the row marked **0**, in points, over the runs"
                + " that both have, with a 95 % interval of a paired bootstrap over splits, runs and images."
                + " *Wilcoxon* is the signed-rank test over runs (n runs never give a p below 2/2ⁿ)."
                + " *McNemar* tells in how many runs the test on images has p < 0.05, and p over the images of all splits,"
                + " one seed each. No p is corrected for the number of rows. *Published* figures are not ours.");
        byDataset().forEach(this::dataset);
        costs();
        return page.toString();
    }

    private void dataset(String dataset, List<ResultTable> some) {
        line("");
        line("## " + Markdown.text(dataset));
        line("");
        line("![Accuracies on " + Markdown.text(dataset) + "](" + figure(dataset) + ")");
        some.forEach(this::table);
        List<Published> others = published.stream()
                .filter(figure -> figure.datasets().contains(dataset))
                .filter(figure -> some.stream()
                        .flatMap(table -> table.rows().stream())
                        .noneMatch(row -> figure.methods().contains(row.method())))
                .toList();
        if (!others.isEmpty()) {
            line("");
            line("Published by others, without a row of ours:");
            line("");
            line("| method | published |");
            line("|---|---|");
            others.forEach(figure -> line("| " + figure.name() + " | " + figure.cell() + " |"));
        }
    }

    private void table(ResultTable table) {
        EvaluationProtocol passport = table.passport();
        line("");
        line("### " + Markdown.text(ProtocolHeading.of(passport)));
        line("");
        line("Protocol: "
                + Markdown.text(passport.dataset() + ", " + passport.protocol() + "; views: " + passport.crops())
                + "; data " + Markdown.code(shortened(passport.contentHash())) + ", weights "
                + Markdown.code(shortened(passport.weightsHash())) + ".");
        line("");
        boolean several =
                table.rows().stream().map(ResultTable.Row::grid).distinct().count() > 1;
        line("| method |" + (several ? " grid |" : "")
                + " numbers | runs | accuracy % | difference | Wilcoxon p | McNemar | seconds | published % |");
        line("|---|" + (several ? "---|" : "") + "---:|---:|---:|---:|---:|---:|---:|---|");
        for (ResultTable.Row row : table.rows()) {
            String beside = published.stream()
                    .filter(figure -> figure.datasets().contains(table.dataset())
                            && figure.methods().contains(row.method()))
                    .map(figure -> figure.name() + " " + figure.cell())
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

    private static String spread(Spread accuracy) {
        return Double.isNaN(accuracy.deviation())
                ? String.format(Locale.ROOT, "%.2f", 100 * accuracy.mean())
                : String.format(Locale.ROOT, "%.2f ± %.2f", 100 * accuracy.mean(), 100 * accuracy.deviation());
    }

    private static String compared(ResultTable.Row row) {
        PairedComparison comparison = row.comparison();
        if (comparison == null) {
            return row.reference() ? "**0** | | " : "no run in common | | ";
        }
        String fewer = comparison.runs() < row.accuracy().runs() ? ", " + comparison.runs() + " runs" : "";
        return String.format(
                Locale.ROOT,
                "%+.2f (%+.2f … %+.2f%s) | %s | %d of %d, %s",
                100 * comparison.bootstrap().difference(),
                100 * comparison.bootstrap().lower(),
                100 * comparison.bootstrap().upper(),
                fewer,
                probability(comparison.wilcoxon().p()),
                comparison.significant(),
                comparison.runs(),
                probability(comparison.pooled().p()));
    }

    private static String probability(double p) {
        return p < 0.0001 ? "< 0.0001" : String.format(Locale.ROOT, "%.4f", p);
    }

    private static String shortened(@Nullable String sum) {
        return sum == null ? "unknown" : sum.substring(0, Math.min(12, sum.length()));
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
