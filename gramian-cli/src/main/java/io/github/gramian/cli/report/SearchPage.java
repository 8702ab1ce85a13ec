package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Axis;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.search.internal.Leaderboard;
import io.github.gramian.search.internal.Objective;
import io.github.gramian.search.internal.SearchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/**
 * One page about a search, {@code leaderboard.html} in the folder of its run: the accuracy-against-cost front and a table of all
 * candidates. Style inside, no program, no request to anywhere.
 */
public final class SearchPage {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 360;
    private static final int LEFT = 56;
    private static final int RIGHT = 16;
    private static final int TOP = 14;
    private static final int BOTTOM = 44;

    private final SearchFolder folder;
    private final String title;
    private final Objective objective;

    /**
     * @param objective what the accuracies are measured on
     */
    public SearchPage(SearchFolder folder, String title, Objective objective) {
        this.folder = folder;
        this.title = title;
        this.objective = objective;
    }

    /** Writes the page as things stand. */
    public void write(Leaderboard board, Leaderboard.Row chosen, double seconds) {
        try {
            AtomicFile.writeText(folder.page(), page(board, chosen, seconds));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private String page(Leaderboard board, Leaderboard.Row chosen, double seconds) throws IOException {
        Html html = new Html()
                .raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                        + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
                        + " 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        + "<meta name=\"color-scheme\" content=\"light dark\">\n"
                        + "<link rel=\"icon\" href=\"data:,\">\n<title>Search – Gramian</title>\n<style>\n"
                        + Report.resource("report.css") + "</style></head>\n<body>\n<header><h1>")
                .text(title)
                .raw("</h1><p class=\"what\">")
                .text("Chosen: " + chosen.candidate().label() + " ("
                        + chosen.candidate().name() + "), "
                        + Numbers.percent(chosen.accuracy().mean()) + " ± "
                        + Numbers.percent(chosen.accuracy().halfInterval())
                        + (objective == Objective.ROBUST
                                ? " on corrupted copies of left-out training images. "
                                : " in folds of the training images. ")
                        + Numbers.count(board.rows().size(), "candidate") + ", searched for "
                        + Numbers.seconds(seconds) + ".")
                .raw("</p><p class=\"what\">")
                .text("The best of many candidates looks slightly too good in the folds. The accuracy on the test"
                        + " images, which were used once, is in the report.")
                .raw(" <a href=\"report.html\">Report</a></p></header>\n<main>\n");
        front(html, board.finalists(), chosen);
        table(html, board, chosen);
        return html.raw("</main>\n"
                        + "<footer>Made by Gramian. This page is self-contained and loads nothing from a"
                        + " network.</footer>\n"
                        + "</body></html>\n")
                .toString();
    }

    /** Accuracy against milliseconds, those to choose from only: others cannot be compared with them. */
    private static void front(Html html, List<Leaderboard.Row> rows, Leaderboard.Row chosen) {
        double low = rows.stream()
                .mapToDouble(row -> row.accuracy().mean() - row.accuracy().halfInterval())
                .min()
                .orElse(0);
        double high = rows.stream()
                .mapToDouble(row -> row.accuracy().mean() + row.accuracy().halfInterval())
                .max()
                .orElse(1);
        Axis up = Axis.linear(100 * Math.max(0, low), 100 * Math.min(1, high));
        Axis along = Axis.linear(
                0, rows.stream().mapToDouble(row -> row.trial().millis()).max().orElse(1));
        html.raw("<section id=\"front\"><h2>Accuracy against cost</h2><p class=\"reading\">")
                .text("Each dot is a candidate that was scored on "
                        + Numbers.count(rows.isEmpty() ? 0 : rows.get(0).trial().images(), "image")
                        + ", with its 95 % interval; the line joins those that no other one beats in both. The ring is"
                        + " the choice. Those on the line are labelled with their rank in the table.")
                .raw("</p><figure class=\"panel\"><svg class=\"chart\" style=\"max-width:" + WIDTH
                        + "px\" role=\"img\" viewBox=\"0 0 " + WIDTH + " " + HEIGHT
                        + "\" aria-label=\"Accuracy against milliseconds per image\">");
        for (double tick : up.ticks()) {
            html.raw("<path class=\"grid\" d=\"M" + LEFT + " ")
                    .number(y(up, tick))
                    .raw("H" + (WIDTH - RIGHT) + "\"/><text class=\"tick end\" x=\"" + (LEFT - 6) + "\" y=\"")
                    .number(y(up, tick) + 3.5)
                    .raw("\">")
                    .text(Numbers.compact(tick) + " %")
                    .raw("</text>");
        }
        for (double tick : along.ticks()) {
            html.raw("<text class=\"tick mid\" x=\"")
                    .number(x(along, tick))
                    .raw("\" y=\"" + (HEIGHT - BOTTOM + 16) + "\">")
                    .text(Numbers.compact(tick))
                    .raw("</text>");
        }
        html.raw("<text class=\"tick mid\" x=\"" + (LEFT + WIDTH - RIGHT) / 2 + "\" y=\"" + (HEIGHT - 8)
                + "\">milliseconds per image, from file to descriptor</text>");
        line(html, rows, up, along);
        rows.forEach(row -> dot(html, row, chosen, up, along));
        html.raw("</svg></figure></section>\n");
    }

    private static void line(Html html, List<Leaderboard.Row> rows, Axis up, Axis along) {
        StringBuilder path = new StringBuilder();
        rows.stream()
                .filter(Leaderboard.Row::front)
                .sorted((a, b) -> Double.compare(a.trial().millis(), b.trial().millis()))
                .forEach(row -> path.append(path.isEmpty() ? 'M' : 'L')
                        .append(Numbers.coordinate(x(along, row.trial().millis())))
                        .append(' ')
                        .append(Numbers.coordinate(y(up, 100 * row.accuracy().mean()))));
        html.raw("<path class=\"line s0\" d=\"" + path + "\"/>");
    }

    private static void dot(Html html, Leaderboard.Row row, Leaderboard.Row chosen, Axis up, Axis along) {
        double x = x(along, row.trial().millis());
        double y = y(up, 100 * row.accuracy().mean());
        double half = 100 * row.accuracy().halfInterval();
        if (row.rank() == chosen.rank()) {
            html.raw("<circle class=\"best\" r=\"8\" cx=\"")
                    .number(x)
                    .raw("\" cy=\"")
                    .number(y)
                    .raw("\"/>");
        }
        html.raw("<path class=\"grid\" style=\"stroke:var(--soft)\" d=\"M")
                .number(x)
                .raw(" ")
                .number(y(up, 100 * row.accuracy().mean() - half))
                .raw("V")
                .number(y(up, 100 * row.accuracy().mean() + half))
                .raw("\"/><circle style=\"fill:var(--c" + (row.front() ? 0 : 7) + ")\" r=\"4\" cx=\"")
                .number(x)
                .raw("\" cy=\"")
                .number(y)
                .raw("\"><title>")
                .text(row.candidate().label() + ": "
                        + Numbers.percent(row.accuracy().mean()))
                .raw("</title></circle>");
        if (row.front() || row.rank() == chosen.rank()) { // labels of all would overlap
            html.raw("<text class=\"tick\" x=\"")
                    .number(x + 7)
                    .raw("\" y=\"")
                    .number(y - 5)
                    .raw("\">" + row.rank() + "</text>");
        }
    }

    private static double x(Axis axis, double value) {
        return LEFT + Math.max(0, Math.min(1, axis.place(value))) * (WIDTH - LEFT - RIGHT);
    }

    private static double y(Axis axis, double value) {
        return TOP + (1 - Math.max(0, Math.min(1, axis.place(value)))) * (HEIGHT - TOP - BOTTOM);
    }

    private static void table(Html html, Leaderboard board, Leaderboard.Row choice) {
        html.raw("<section id=\"candidates\"><h2>Candidates</h2><p class=\"reading\">")
                .text("The candidates to choose from come first, sorted by accuracy. Gap: difference to the best on"
                        + " the same images, ± one standard error of the differences image by image. Of those within"
                        + " one standard error, the cheapest is chosen unless --prefer is set. Accuracies rise with"
                        + " the number of images. Compare only candidates with the same number of images.")
                .raw("</p><div class=\"scroll\"><table><thead><tr><th>#</th><th"
                        + " style=\"text-align:left\">candidate</th><th>images</th><th>accuracy %</th><th>gap"
                        + " %</th><th>ms per image</th><th>dimensions</th><th>model</th></tr></thead><tbody>");
        for (Leaderboard.Row row : board.rows()) {
            boolean chosen = row.rank() == choice.rank();
            html.raw("<tr><td>" + row.rank() + "</td><td style=\"text-align:left\">" + (chosen ? "<strong>" : ""))
                    .text(row.candidate().label())
                    .raw((chosen ? "</strong>, chosen" : "") + "</td><td>")
                    .text(Numbers.count(row.trial().images()))
                    .raw("</td><td>")
                    .text(spread(row.accuracy().mean(), row.accuracy().halfInterval()))
                    .raw("</td><td>")
                    .text(spread(row.behind().mean(), row.behind().error()))
                    .raw("</td><td>")
                    .text(Numbers.count(Math.round(row.trial().millis())))
                    .raw("</td><td>")
                    .text(Numbers.count(row.trial().dimensions()))
                    .raw("</td><td>")
                    .text(Numbers.count(row.trial().modelBytes() >> 20) + " MB")
                    .raw("</td></tr>");
        }
        html.raw("</tbody></table></div></section>\n");
    }

    /** Two shares in per cent, such as 88.4 ± 2.3. */
    private static String spread(double share, double error) {
        return String.format(Locale.ROOT, "%.1f ± %.1f", 100 * share, 100 * error);
    }
}
