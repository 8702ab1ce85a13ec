package io.github.gramian.cli.results;

import io.github.gramian.experiment.internal.ResultTable;
import java.util.List;
import java.util.Locale;

/** Accuracies of a dataset as SVG: a dot for the mean, a bar for the standard deviation, a block for each protocol. */
final class AccuracyFigure {

    private static final int LEFT = 420;
    private static final int PLOT = 420;
    private static final int RIGHT = 70;
    private static final int LINE = 20;
    private static final int HEAD = 34;
    private static final int AXIS = 44;
    private static final double[] STEPS = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20};
    private static final int MOST_TICKS = 9;
    private static final int MOST_LETTERS = 72;

    private final List<ResultTable> tables;
    private final double low;
    private final double high;
    private final double step;
    private final StringBuilder svg = new StringBuilder();

    private AccuracyFigure(List<ResultTable> tables) {
        this.tables = tables;
        double least = 100;
        double most = 0;
        for (ResultTable table : tables) {
            for (ResultTable.Row row : table.rows()) {
                least = Math.min(least, percent(row) - deviation(row));
                most = Math.max(most, percent(row) + deviation(row));
            }
        }
        double wanted = Math.max(0.5, most - least) / (MOST_TICKS - 2);
        double chosen = STEPS[STEPS.length - 1];
        for (int i = STEPS.length - 1; i >= 0 && STEPS[i] >= wanted; i--) {
            chosen = STEPS[i];
        }
        this.step = chosen;
        this.low = Math.floor(least / chosen) * chosen;
        this.high = Math.max(low + chosen, Math.ceil(most / chosen) * chosen);
    }

    /** The figure of tables that are all of one dataset. */
    static String of(List<ResultTable> tables) {
        return new AccuracyFigure(tables).draw();
    }

    private static double percent(ResultTable.Row row) {
        return 100 * row.accuracy().mean();
    }

    private static double deviation(ResultTable.Row row) {
        return Double.isNaN(row.accuracy().deviation())
                ? 0
                : 100 * row.accuracy().deviation();
    }

    private String draw() {
        int lines = tables.stream().mapToInt(table -> table.rows().size()).sum();
        int height = tables.size() * HEAD + lines * LINE + AXIS;
        int width = LEFT + PLOT + RIGHT;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                width,
                height,
                width,
                height,
                width,
                height));
        int bottom = height - AXIS;
        for (int i = 0; low + i * step <= high + step / 2; i++) {
            double tick = low + i * step;
            line(x(tick), 0, x(tick), bottom, "#ddd", 1);
            text(x(tick), bottom + 16, "middle", "#333", String.format(Locale.ROOT, step < 1 ? "%.1f" : "%.0f", tick));
        }
        text(
                LEFT + PLOT / 2.0,
                bottom + 34,
                "middle",
                "#333",
                "test accuracy in %, mean ± standard deviation over runs");
        int y = 0;
        for (ResultTable table : tables) {
            text(8, y + 21, "start", "#000", ProtocolHeading.of(table.passport()));
            y += HEAD;
            boolean several =
                    table.rows().stream().map(ResultTable.Row::grid).distinct().count() > 1;
            for (ResultTable.Row row : table.rows()) {
                row(row, several ? row.label() + ", " + row.grid() : row.label(), y + LINE / 2.0);
                y += LINE;
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private void row(ResultTable.Row row, String name, double y) {
        text(LEFT - 10, y + 4, "end", "#333", shortened(name));
        line(x(percent(row) - deviation(row)), y, x(percent(row) + deviation(row)), y, "#2563a8", 2);
        svg.append(String.format(
                Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#2563a8\"/>\n", x(percent(row)), y));
        text(LEFT + PLOT + 12, y + 4, "start", "#333", String.format(Locale.ROOT, "%.2f", percent(row)));
    }

    private static String shortened(String name) {
        return name.length() <= MOST_LETTERS ? name : name.substring(0, MOST_LETTERS - 1) + "…";
    }

    private double x(double percent) {
        return LEFT + PLOT * (percent - low) / (high - low);
    }

    private void line(double x1, double y1, double x2, double y2, String colour, int width) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%d\"/>\n",
                x1,
                y1,
                x2,
                y2,
                colour,
                width));
    }

    private void text(double x, double y, String anchor, String colour, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n",
                x,
                y,
                anchor,
                colour,
                Markdown.plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
}
