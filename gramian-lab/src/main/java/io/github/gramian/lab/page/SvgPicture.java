package io.github.gramian.lab.page;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.io.internal.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
        svg.append(Text.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0 %1$d %2$d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%1$d\" height=\"%2$d\" fill=\"white\"/>\n",
                width, height));
    }

    void line(double x1, double y1, double x2, double y2, String colour, int width) {
        svg.append(Text.format(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%d\"/>\n",
                x1, y1, x2, y2, colour, width));
    }

    void dot(double x, double y, int radius, String colour) {
        svg.append(Text.format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"/>\n", x, y, radius, colour));
    }

    /** Words, without the marks of Markdown. */
    void text(double x, double y, Anchor anchor, String text) {
        svg.append(Text.format(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n",
                x, y, anchor.name().toLowerCase(Locale.ROOT), INK, Html.escape(Markdown.plain(text))));
    }

    /** The text of the whole file. */
    String finished() {
        return svg + "</svg>\n";
    }

    /** A range with round ticks, which cover what is shown. */
    record Axis(double low, double high, boolean isLogarithmic, List<Double> ticks) {

        private static final double[] STEPS = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50};
        private static final int MAX_TICKS = 7;

        /**
         * Of values above 0; ticks at the values themselves where these are a few whole numbers, otherwise at 1, 2 and 5 times
         * powers of ten, or only these powers where there are many.
         */
        static Axis logarithmic(double[] values) {
            double least = Math.max(1e-3, Arrays.stream(values).min().orElse(1));
            double most = Math.max(least * 1.1, Arrays.stream(values).max().orElse(10));
            double margin = Math.pow(most / least, 0.06);
            return new Axis(
                    least / margin,
                    most * margin,
                    true,
                    isAFewWholeNumbers(values) ? distinct(values) : powers(least, most));
        }

        private static boolean isAFewWholeNumbers(double[] values) {
            return Arrays.stream(values).allMatch(value -> value >= 1 && value == Math.rint(value))
                    && distinct(values).size() <= MAX_TICKS;
        }

        private static List<Double> distinct(double[] values) {
            return Arrays.stream(values).distinct().sorted().boxed().toList();
        }

        private static List<Double> powers(double least, double most) {
            List<Double> ticks = new ArrayList<>();
            boolean fine = most / least < 200;
            for (int power = (int) Math.floor(Math.log10(least)); Math.pow(10, power) <= most; power++) {
                for (double factor : fine ? new double[] {1, 2, 5} : new double[] {1}) {
                    double tick = factor * Math.pow(10, power);
                    if (tick >= least * 0.999 && tick <= most * 1.001) {
                        ticks.add(tick);
                    }
                }
            }
            return ticks;
        }

        static Axis linear(double[] values) {
            double least = Arrays.stream(values).min().orElse(0);
            double most = Arrays.stream(values).max().orElse(100);
            double wanted = Math.max(0.5, most - least) / (MAX_TICKS - 2);
            double step = STEPS[STEPS.length - 1];
            for (int i = STEPS.length - 1; i >= 0 && STEPS[i] >= wanted; i--) {
                step = STEPS[i];
            }
            double low = Math.floor(least / step) * step;
            double high = Math.max(low + step, Math.ceil(most / step) * step);
            List<Double> ticks = new ArrayList<>();
            for (int i = 0; low + i * step <= high + step / 2; i++) {
                ticks.add(low + i * step);
            }
            return new Axis(low, high, false, ticks);
        }

        /** Where a value lies, 0 at the low end and 1 at the high end. */
        double share(double value) {
            return isLogarithmic
                    ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
                    : (value - low) / (high - low);
        }

        static String name(double tick) {
            return tick == Math.rint(tick) ? Text.format("%,.0f", tick) : Text.format("%.1f", tick);
        }
    }
}
