package io.github.gramian.cli.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;

/** Curves over equally spaced places as one SVG panel, narrow enough to be readable on a phone. */
public final class LineChart {

    private static final int LEFT = 52;
    private static final int RIGHT = 12;
    private static final int TOP = 12;
    private static final int BOTTOM = 34;
    private static final int MAX_STOPS = 400;

    /** How the vertical axis is divided. */
    public enum Scale {
        LINEAR,
        LOGARITHMIC,
        SHARE,
        /** From 0 to 100 %, so that several charts have the same axis. */
        WHOLE_SHARE
    }

    /** A curve; NaN leaves a gap. The style picks colour and dash, see the style sheet. */
    private static final class Curve {
        private final String name;
        private final int style;
        private final double[] values;

        Curve(String name, int style, double[] values) {
            this.name = name;
            this.style = style;
            this.values = values;
        }
    }

    private final String title;
    private final Scale scale;
    private int width = 360;
    private int height = 220;
    private final List<Curve> curves = new ArrayList<>();
    private List<String> places = List.of();
    private String horizontal = "";
    private List<String> ends = List.of();
    private List<Integer> marked = List.of();
    private List<Integer> dividers = List.of();
    private DoubleFunction<String> format = Numbers::compact;

    public LineChart(String title, Scale scale) {
        this.title = title;
        this.scale = scale;
        if (isShare()) {
            format = Numbers::percent;
        }
    }

    private boolean isShare() {
        return scale == Scale.SHARE || scale == Scale.WHOLE_SHARE;
    }

    /** Adds a curve unless it has no values at all. */
    public LineChart curve(String name, int style, double[] values) {
        if (Arrays.stream(values).anyMatch(Double::isFinite)) {
            curves.add(new Curve(name, style, values));
        }
        return this;
    }

    /** Labels of the horizontal axis: its title, a name for each place, and the labels of both ends. */
    public LineChart along(String axisTitle, List<String> names, String first, String last) {
        horizontal = axisTitle;
        places = names;
        ends = List.of(first, last);
        return this;
    }

    /** Places that get a ring on the last curve. */
    public LineChart mark(List<Integer> at) {
        marked = at;
        return this;
    }

    /** Places before which a line is drawn. */
    public LineChart divide(List<Integer> before) {
        dividers = before;
        return this;
    }

    /** At half the width: the same letters on a smaller panel. */
    public LineChart narrow() {
        width = 230;
        height = 200;
        return this;
    }

    /** Adds the panel; nothing if there is nothing to draw. */
    public void writeTo(Html html) {
        double[] shown = curves.stream()
                .flatMapToDouble(curve -> Arrays.stream(curve.values))
                .filter(value -> Double.isFinite(value) && (scale != Scale.LOGARITHMIC || value > 0))
                .toArray();
        if (shown.length == 0) {
            return;
        }
        double low = DoubleStream.of(shown).min().orElseThrow();
        double high = DoubleStream.of(shown).max().orElseThrow();
        Axis axis = switch (scale) {
            case LINEAR -> Axis.linear(low >= 0 && low < high / 2 ? 0 : low, high);
            case LOGARITHMIC -> Axis.logarithmic(low, high);
            case SHARE -> Axis.share(low);
            case WHOLE_SHARE -> Axis.share(0);
        };
        html.raw("<figure class=\"panel\"><figcaption>").text(title);
        writeLegend(html);
        html.raw("</figcaption><svg class=\"chart\" tabindex=\"0\" role=\"img\" viewBox=\"0 0 " + width + " " + height
                + "\"");
        html.attribute("aria-label", summary()).raw(">");
        writeGrid(html, axis);
        for (Curve curve : curves) {
            writeCurve(html, axis, curve);
        }
        writeMarks(html, axis);
        writeStops(html);
        html.raw("</svg></figure>");
    }

    private int length() {
        return curves.stream().mapToInt(curve -> curve.values.length).max().orElse(0);
    }

    private double x(double place) {
        int steps = length() - 1;
        double share = steps == 0 ? 0.5 : place / steps;
        return LEFT + share * (width - LEFT - RIGHT);
    }

    private double y(Axis axis, double value) {
        double share = Math.max(0, Math.min(1, axis.place(value)));
        return TOP + (1 - share) * (height - TOP - BOTTOM);
    }

    private void writeLegend(Html html) {
        if (curves.size() < 2) {
            return;
        }
        html.raw("<span class=\"keys\">");
        for (Curve curve : curves) {
            html.raw("<span class=\"key\"><svg width=\"18\" height=\"8\" aria-hidden=\"true\"><path class=\"line s"
                            + curve.style + "\" d=\"M0 4H18\"/></svg>")
                    .text(curve.name)
                    .raw("</span>");
        }
        html.raw("</span>");
    }

    private void writeGrid(Html html, Axis axis) {
        for (double tick : axis.ticks()) {
            double y = y(axis, tick);
            html.raw("<path class=\"grid\" d=\"M" + LEFT + " ").number(y).raw("H" + (width - RIGHT) + "\"/>");
            html.raw("<text class=\"tick end\" x=\"" + (LEFT - 6) + "\" y=\"")
                    .number(y + 3.5)
                    .raw("\">")
                    .text(isShare() ? Math.round(100 * tick) + " %" : Numbers.compact(tick))
                    .raw("</text>");
        }
        for (int before : dividers) {
            html.raw("<path class=\"divider\" d=\"M").number(x(before - 0.5));
            html.raw(" " + TOP + "V" + (height - BOTTOM) + "\"/>");
        }
        int base = height - BOTTOM + 16;
        html.raw("<text class=\"tick\" x=\"" + LEFT + "\" y=\"" + base + "\">")
                .text(ends.isEmpty() ? "" : ends.get(0))
                .raw("</text><text class=\"tick end\" x=\"" + (width - RIGHT) + "\" y=\"" + base + "\">")
                .text(ends.isEmpty() || length() < 2 ? "" : ends.get(1))
                .raw("</text><text class=\"tick mid\" x=\"" + (LEFT + width - RIGHT) / 2 + "\" y=\"" + (base + 13)
                        + "\">")
                .text(horizontal)
                .raw("</text>");
    }

    private void writeCurve(Html html, Axis axis, Curve curve) {
        StringBuilder path = new StringBuilder();
        boolean drawing = false;
        for (int i = 0; i < curve.values.length; i++) {
            double value = curve.values[i];
            if (!axis.shows(value)) {
                drawing = false;
                continue;
            }
            path.append(drawing ? 'L' : 'M')
                    .append(Numbers.coordinate(x(i)))
                    .append(' ')
                    .append(Numbers.coordinate(y(axis, value)));
            boolean alone = !drawing && (i + 1 == curve.values.length || !axis.shows(curve.values[i + 1]));
            path.append(alone ? "h0" : "");
            drawing = true;
        }
        html.raw("<path class=\"line s" + curve.style + "\" d=\"" + path + "\"/>");
    }

    private void writeMarks(Html html, Axis axis) {
        Curve last = curves.get(curves.size() - 1);
        for (int place : marked) {
            if (place < last.values.length && axis.shows(last.values[place])) {
                html.raw("<circle class=\"best\" r=\"5\" cx=\"")
                        .number(x(place))
                        .raw("\" cy=\"")
                        .number(y(axis, last.values[place]))
                        .raw("\"/>");
            }
        }
    }

    /** Invisible columns that carry the numbers for pointer and keyboard. */
    private void writeStops(Html html) {
        int length = length();
        int stride = 1 + (length - 1) / MAX_STOPS;
        double stop = (width - LEFT - RIGHT) / (double) Math.max(1, length - 1) * stride;
        for (int i = 0; i < length; i += stride) {
            StringBuilder tip = new StringBuilder(i < places.size() ? places.get(i) : "");
            for (Curve curve : curves) {
                if (i < curve.values.length && Double.isFinite(curve.values[i])) {
                    tip.append('\n').append(curve.name).append(": ").append(format.apply(curve.values[i]));
                }
            }
            if (marked.contains(i)) {
                tip.append("\nbest so far, selected");
            }
            html.raw("<rect class=\"stop\" y=\"" + TOP + "\" height=\"" + (height - TOP - BOTTOM) + "\" x=\"")
                    .number(x(i) - stop / 2)
                    .raw("\" width=\"")
                    .number(Math.max(1, stop))
                    .raw("\"")
                    .attribute("data-tip", tip.toString())
                    .raw("/>");
        }
    }

    private String summary() {
        StringBuilder summary = new StringBuilder(title);
        for (Curve curve : curves) {
            double[] known =
                    Arrays.stream(curve.values).filter(Double::isFinite).toArray();
            summary.append("; ").append(curve.name).append(" from ").append(format.apply(known[0]));
            summary.append(" to ").append(format.apply(known[known.length - 1]));
        }
        return summary.append(". Arrow keys read the values.").toString();
    }
}
