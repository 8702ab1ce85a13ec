package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Which classes are confused. */
final class ConfusionSection implements Section {

    private static final int MAX_LETTERS = 16;

    private static final int MAX_CLASSES_DRAWN = 400;
    private static final int MAX_CELLS = 20_000;
    private static final int MAX_PAIRS = 12;

    /** Degrees between a column's name and the horizontal, and the width of a wide letter of it. */
    private static final int SLANT = 60;

    private static final double LETTER = 8;

    /** The smallest side of a cell in which its count fits. */
    private static final int TEXT_SIDE = 24;

    /** How the drawing is laid out: length of a cell's side, margin for names at the left and top, whether they are shown. */
    private record Grid(double side, double margin, boolean names) {}

    /** A cell that is not zero; {@code share} is of all images of the true class. */
    private record Cell(int truth, int predicted, int count, int support) {
        double share() {
            return support == 0 ? 0 : (double) count / support;
        }
    }

    @Override
    public String id() {
        return "confusion";
    }

    @Override
    public String title() {
        return "Confusion matrix";
    }

    @Override
    public String reading() {
        return "Every row is a true class and every column a predicted class: blue on the diagonal is correct, orange"
                + " elsewhere is a mistake, and the stronger the colour the larger the fraction of the row.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        List<int[]> counts = run.scores().classes().confusion();
        if (counts.isEmpty()) {
            return;
        }
        List<Cell> cells = cells(counts);
        html.raw("<div class=\"split\"><div>");
        if (counts.size() <= MAX_CLASSES_DRAWN) {
            drawing(run.scores(), counts, cells, html);
        } else {
            html.raw("<p class=\"caption\">A matrix of " + Numbers.count(counts.size())
                    + " classes is too large to draw; the list shows its most frequent mistakes.</p>");
        }
        html.raw("</div>");
        pairs(run.scores(), cells, html);
        html.raw("</div>");
    }

    /** The cells that are not zero, row by row; where there are too many, those with the most images. */
    private static List<Cell> cells(List<int[]> counts) {
        List<Cell> cells = new ArrayList<>();
        for (int truth = 0; truth < counts.size(); truth++) {
            int support = support(counts, truth);
            for (int predicted = 0; predicted < counts.size(); predicted++) {
                if (counts.get(truth)[predicted] > 0) {
                    cells.add(new Cell(truth, predicted, counts.get(truth)[predicted], support));
                }
            }
        }
        if (cells.size() > MAX_CELLS) {
            cells.sort(Comparator.comparingInt(Cell::count).reversed());
            return List.copyOf(cells.subList(0, MAX_CELLS));
        }
        return cells;
    }

    /** Images of a class. */
    private static int support(List<int[]> counts, int truth) {
        return Arrays.stream(counts.get(truth)).sum();
    }

    private static void drawing(ShownScores scores, List<int[]> counts, List<Cell> cells, Html html) {
        int classes = counts.size();
        double side =
                classes <= 4 ? 72 : classes <= 12 ? 46 : classes <= 24 ? 26 : classes <= 50 ? 16 : 640.0 / classes;
        boolean names = classes <= 50;
        double margin = names ? 116 : 4;
        double extent = margin + classes * side + 4;
        double width = extent + (names ? overhang(scores, classes, side) : 0);
        html.raw("<div class=\"tools\" role=\"group\" aria-label=\"Order of the classes\">Order by"
                + "<button type=\"button\" data-order=\"given\" aria-pressed=\"true\">list</button>"
                + "<button type=\"button\" data-order=\"name\" aria-pressed=\"false\">name</button>"
                + "<button type=\"button\" data-order=\"recall\" aria-pressed=\"false\">worst first</button></div>");
        html.raw("<div class=\"scroll\" tabindex=\"0\"><svg id=\"matrix\" role=\"img\" viewBox=\"0 0 ")
                .number(width)
                .raw(" ")
                .number(extent)
                .raw("\" style=\"max-width:")
                .number(width)
                .raw("px;min-width:")
                .number(Math.min(width, names ? Math.max(300, 0.8 * width) : 300))
                .raw("px\" data-side=\"" + side + "\" data-margin=\"" + margin + "\"")
                .attribute("aria-label", "Confusion matrix of " + classes + " classes")
                .raw(">");
        html.raw("<rect class=\"field\" x=\"" + margin + "\" y=\"" + margin + "\" width=\"")
                .number(classes * side)
                .raw("\" height=\"")
                .number(classes * side)
                .raw("\"/>");
        Grid grid = new Grid(side, margin, names);
        for (int i = 0; i < classes; i++) {
            label(scores, counts, i, grid, html);
        }
        for (Cell cell : cells) {
            cell(scores, cell, grid, html);
        }
        html.raw("</svg></div>");
    }

    /** How far a slanted name may reach beyond the last column, where any class may come to stand. */
    private static double overhang(ShownScores scores, int classes, double side) {
        int letters = IntStream.range(0, classes)
                .map(i -> Text.shortened(scores.className(i), MAX_LETTERS).length())
                .max()
                .orElse(0);
        return Math.max(0, letters * LETTER * Math.cos(Math.toRadians(SLANT)) + LETTER - side / 2);
    }

    /** The class at the left and at the top; also carries what the order of classes depends on. */
    private static void label(ShownScores scores, List<int[]> counts, int index, Grid grid, Html html) {
        int support = support(counts, index);
        String name = scores.className(index);
        double margin = grid.margin();
        double middle = margin + (index + 0.5) * grid.side();
        html.raw("<text class=\"name end\" data-row=\"" + index + "\" transform=\"translate(")
                .number(margin - 6)
                .raw(" ")
                .number(middle)
                .raw(")\" dy=\".35em\"")
                .attribute("data-name", name)
                .raw(" data-recall=\"" + (support == 0 ? 2 : (double) counts.get(index)[index] / support) + "\"");
        if (grid.names()) {
            html.attribute("data-tip", name)
                    .raw(">")
                    .text(Text.shortened(name, MAX_LETTERS))
                    .raw("</text>");
            html.raw("<text class=\"name\" data-column=\"" + index + "\" transform=\"translate(")
                    .number(middle)
                    .raw(" ")
                    .number(margin - 6)
                    .raw(") rotate(-" + SLANT + ")\" dy=\".35em\"")
                    .attribute("data-tip", name)
                    .raw(">")
                    .text(Text.shortened(name, MAX_LETTERS));
        } else {
            html.raw(">");
        }
        html.raw("</text>");
    }

    private static void cell(ShownScores scores, Cell cell, Grid grid, Html html) {
        double side = grid.side();
        double margin = grid.margin();
        boolean right = cell.truth() == cell.predicted();
        // Rare mistakes are what one looks for: even a single one among hundreds gets a visible tint.
        double strength =
                right ? 0.15 + 0.85 * cell.share() : Math.min(1, (side < TEXT_SIDE ? 0.5 : 0.3) + 1.4 * cell.share());
        String what = right
                ? scores.className(cell.truth()) + "\nrecognised: "
                : scores.className(cell.truth()) + "\npredicted as " + scores.className(cell.predicted()) + ": ";
        html.raw("<g class=\"" + (right ? "right" : "wrong") + depth(strength, right) + "\" data-row=\"" + cell.truth()
                        + "\" data-column=\"" + cell.predicted() + "\" transform=\"translate(")
                .number(margin + cell.predicted() * side)
                .raw(" ")
                .number(margin + cell.truth() * side)
                .raw(")\"")
                .attribute(
                        "data-tip",
                        what + cell.count() + " of " + cell.support() + " (" + Numbers.percent(cell.share()) + ")")
                .raw("><rect width=\"")
                .number(side)
                .raw("\" height=\"")
                .number(side)
                .raw("\" fill-opacity=\"" + Numbers.compact(strength) + "\"/>");
        if (side >= TEXT_SIDE) {
            html.raw("<text x=\"")
                    .number(side / 2)
                    .raw("\" y=\"")
                    .number(side / 2)
                    .raw("\" dy=\".35em\">" + cell.count() + "</text>");
        }
        html.raw("</g>");
    }

    /** How dark a cell is, which decides the colour of the count on it; the style sheet knows for light and dark. */
    private static String depth(double strength, boolean right) {
        return strength > (right ? 0.75 : 0.9) ? " strong" : strength > 0.6 ? " middle" : "";
    }

    private static void pairs(ShownScores scores, List<Cell> cells, Html html) {
        List<Cell> mistakes = cells.stream()
                .filter(cell -> cell.truth() != cell.predicted())
                .sorted(Comparator.comparingInt(Cell::count)
                        .thenComparingDouble(Cell::share)
                        .reversed())
                .limit(MAX_PAIRS)
                .toList();
        html.raw("<div><h3>Most confused</h3>");
        if (mistakes.isEmpty()) {
            html.raw("<p>Not one mistake.</p></div>");
            return;
        }
        html.raw("<ol class=\"pairs\">");
        for (Cell cell : mistakes) {
            html.raw("<li><span><b>")
                    .text(scores.className(cell.truth()))
                    .raw("</b> predicted as <b>")
                    .text(scores.className(cell.predicted()))
                    .raw("</b></span><span class=\"caption\">" + cell.count() + " of " + cell.support() + ", ")
                    .text(Numbers.percent(cell.share()))
                    .raw("</span></li>");
        }
        html.raw("</ol></div>");
    }
}
