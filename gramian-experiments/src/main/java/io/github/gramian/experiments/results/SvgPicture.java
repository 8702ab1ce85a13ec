package io.github.gramian.experiments.results;

import io.github.gramian.cli.chart.Html;
import java.util.Locale;

/** A picture as SVG on white paper: lines, dots and words. */
final class SvgPicture {

    /** Which end of a text stands at its place. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    private static final String INK = "#333";

    private final StringBuilder svg = new StringBuilder();

    SvgPicture(int width, int height) {
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0 %1$d %2$d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%1$d\" height=\"%2$d\" fill=\"white\"/>\n",
                width,
                height));
    }

    void line(double x1, double y1, double x2, double y2, String colour, int width) {
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

    void dot(double x, double y, int radius, String colour) {
        svg.append(String.format(
                Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"/>\n", x, y, radius, colour));
    }

    /** Words, without the marks of Markdown. */
    void text(double x, double y, Anchor anchor, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n",
                x,
                y,
                anchor.name().toLowerCase(Locale.ROOT),
                INK,
                Html.escape(Markdown.plain(text))));
    }

    /** The text of the whole file. */
    String finished() {
        return svg + "</svg>\n";
    }
}
