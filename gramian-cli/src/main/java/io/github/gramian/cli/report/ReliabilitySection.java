package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Axis;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.eval.Calibration;
import java.util.List;

/** Calibration: whether predictions with a confidence of 80 % are correct four times out of five. */
final class ReliabilitySection implements Section {

    private static final int WIDTH = 360;
    private static final int HEIGHT = 300;
    private static final int LEFT = 48;
    private static final int TOP = 12;
    private static final int SIDE_X = 300;
    private static final int SIDE_Y = 244;

    @Override
    public String id() {
        return "reliability";
    }

    @Override
    public String title() {
        return "Calibration";
    }

    @Override
    public String reading() {
        return "Images are grouped by confidence. Bars that reach the dotted line mean that predictions are correct as"
                + " often as their confidence predicts. Bars below the line mean that the network is overconfident.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        List<Calibration.Bin> bins = run.scores().calibration().bins().stream()
                .filter(bin -> bin.lower() >= 0 && bin.upper() > bin.lower() && bin.upper() <= 1.0001)
                .toList();
        if (bins.isEmpty()) {
            return;
        }
        html.raw("<div class=\"panels\">");
        diagram(bins, html);
        counts(bins, html);
        html.raw("</div>");
        if (Double.isFinite(run.scores().calibration().error())) {
            html.raw("<p>Expected calibration error: <b>")
                    .text(Numbers.percent(run.scores().calibration().error()))
                    .raw("</b>, the mean distance between confidence and accuracy.</p>");
        }
    }

    private static void diagram(List<Calibration.Bin> bins, Html html) {
        open(html, "Right answers by confidence", "Share of right answers for every range of confidence");
        for (int tick = 0; tick <= 100; tick += 25) {
            grid(html, tick / 100.0, tick + " %");
        }
        for (Calibration.Bin bin : bins) {
            if (bin.count() > 0 && Double.isFinite(bin.accuracy())) {
                column(html, bin, bin.accuracy(), "column");
            }
        }
        html.raw("<path class=\"ideal\" d=\"M" + LEFT + " " + (TOP + SIDE_Y) + "L" + (LEFT + SIDE_X) + " " + TOP
                + "\"/>");
        close(html);
    }

    private static void counts(List<Calibration.Bin> bins, Html html) {
        int most =
                Math.max(1, bins.stream().mapToInt(Calibration.Bin::count).max().orElse(1));
        open(html, "Images by confidence", "Number of images in every range of confidence");
        Axis axis = Axis.linear(0, most);
        for (double tick : axis.ticks()) {
            grid(html, axis.place(tick), Numbers.compact(tick));
        }
        for (Calibration.Bin bin : bins) {
            column(html, bin, axis.place(bin.count()), "column plain");
        }
        close(html);
    }

    private static void open(Html html, String title, String label) {
        html.raw("<figure class=\"panel\"><figcaption>" + title + "</figcaption><svg class=\"chart\" tabindex=\"0\""
                + " role=\"img\" viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" aria-label=\"" + label
                + ". Arrow keys read the values.\">");
    }

    private static void close(Html html) {
        int base = TOP + SIDE_Y + 16;
        html.raw("<text class=\"tick\" x=\"" + LEFT + "\" y=\"" + base + "\">0 %</text><text class=\"tick end\" x=\""
                + (LEFT + SIDE_X) + "\" y=\"" + base + "\">100 %</text><text class=\"tick mid\" x=\""
                + (LEFT + SIDE_X / 2) + "\" y=\"" + (base + 13) + "\">confidence</text></svg></figure>");
    }

    private static void grid(Html html, double share, String text) {
        double y = TOP + (1 - share) * SIDE_Y;
        html.raw("<path class=\"grid\" d=\"M" + LEFT + " ").number(y).raw("h" + SIDE_X + "\"/>");
        html.raw("<text class=\"tick end\" x=\"" + (LEFT - 6) + "\" y=\"")
                .number(y + 3.5)
                .raw("\">" + text + "</text>");
    }

    private static void column(Html html, Calibration.Bin bin, double share, String style) {
        double height = Math.max(0, Math.min(1, share)) * SIDE_Y;
        html.raw("<rect class=\"" + style + " hit\" x=\"")
                .number(LEFT + bin.lower() * SIDE_X + 1)
                .raw("\" width=\"")
                .number(Math.max(1, (bin.upper() - bin.lower()) * SIDE_X - 2))
                .raw("\" y=\"")
                .number(TOP + SIDE_Y - height)
                .raw("\" height=\"")
                .number(height)
                .raw("\"")
                .attribute(
                        "data-tip",
                        "Confidence " + Math.round(100 * bin.lower()) + "–" + Math.round(100 * bin.upper()) + " %\n"
                                + Numbers.count(bin.count(), "image") + "\nmean confidence "
                                + Numbers.percent(bin.meanConfidence()) + "\nright " + Numbers.percent(bin.accuracy()))
                .raw("/>");
    }
}
