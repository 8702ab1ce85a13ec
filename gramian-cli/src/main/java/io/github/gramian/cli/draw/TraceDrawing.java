package io.github.gramian.cli.draw;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.SimilarOrder;
import io.github.gramian.cli.report.HeatMap;
import io.github.gramian.cli.report.Thumbnails;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.ImageTrace;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The way of one image through a model, from left to right, as one SVG that light and dark pages can show. */
final class TraceDrawing {

    static final int MAPS = 9;

    private static final int SIDE = 168;
    private static final int GAP = 64;
    private static final int TOP = 30;
    private static final int HEIGHT = TOP + SIDE + 26;
    private static final int ANSWERS = 5;
    private static final int MAX_LETTERS = 18;

    private static final String STYLE =
            "text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:11px;fill:#57606a}"
                    + ".title{font-weight:600}path{stroke:#8c959f;fill:none;stroke-width:1.5}.bar{fill:#4c78a8}"
                    + "image{image-rendering:pixelated}.photo{image-rendering:auto}"
                    + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}path{stroke:#6e7681}"
                    + ".bar{fill:#6ea8dc}}";

    private final ImageTrace trace;
    private final Html svg = new Html();
    private int left;

    TraceDrawing(ImageTrace trace) {
        this.trace = trace;
    }

    String svg() {
        photograph();
        maps();
        trace.matrices().forEach(this::matrix);
        answers();
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + left + " " + HEIGHT + "\" role=\"img\">"
                + "<title>" + Html.escape(alternative()) + "</title><style>" + STYLE + "</style>" + svg + "</svg>\n";
    }

    /** The drawing in words. */
    private String alternative() {
        return "An image, feature maps, "
                + String.join(", ", trace.matrices().keySet())
                + ", and the answer: " + trace.prediction().label();
    }

    private void photograph() {
        title("Image", trace.view().width() + " × " + trace.view().height() + " pixels");
        RgbImage view = trace.view();
        Thumbnails.dataAddress(Thumbnails.raster(view), "jpeg")
                .ifPresent(address -> picture(address, "photo", 0, 0, SIDE));
        left += SIDE;
    }

    private void maps() {
        arrow("CNN");
        title("Feature maps", trace.channels() + " channels, the strongest");
        int across = (int) Math.ceil(Math.sqrt(trace.maps().size()));
        double side = (SIDE - 4.0 * (across - 1)) / across;
        for (int i = 0; i < trace.maps().size(); i++) {
            int line = i / across;
            double x = i % across * (side + 4);
            double y = line * (side + 4);
            new HeatMap(rows(trace.maps().get(i))).address().ifPresent(address -> picture(address, "", x, y, side));
        }
        left += SIDE;
    }

    private void matrix(String name, float[][] values) {
        boolean kernel = name.equals("K");
        arrow(kernel ? "kernel" : "Wᵀ · W");
        title(name, values.length + " × " + values.length + (kernel ? ", ordered by similarity" : ""));
        List<List<Double>> rows = rows(values);
        List<List<Double>> shown = withoutExtremes(kernel ? SimilarOrder.applied(rows) : rows);
        new HeatMap(shown).address().ifPresent(address -> picture(address, "", 0, 0, SIDE));
        left += SIDE;
    }

    /** A diagonal far above the rest would leave the rest in one colour. */
    private static List<List<Double>> withoutExtremes(List<List<Double>> rows) {
        double[] sorted = rows.stream()
                .flatMap(List::stream)
                .mapToDouble(value -> value)
                .sorted()
                .toArray();
        double low = sorted[sorted.length / 100];
        double high = sorted[sorted.length - 1 - sorted.length / 50];
        return rows.stream()
                .map(row -> row.stream()
                        .map(value -> Math.max(low, Math.min(high, value)))
                        .toList())
                .toList();
    }

    private void answers() {
        arrow("classifier");
        title("Answer", "of " + Text.count(trace.prediction().classes().size(), "class"));
        List<Prediction.Candidate> best = trace.prediction().top(ANSWERS);
        for (int i = 0; i < best.size(); i++) {
            Prediction.Candidate one = best.get(i);
            double y = TOP + 6 + 33.0 * i;
            svg.raw("<text x=\"")
                    .number(left)
                    .raw("\" y=\"")
                    .number(y + 9)
                    .raw("\">")
                    .text(Text.shortened(one.label(), MAX_LETTERS));
            svg.raw("</text><text class=\"small\" text-anchor=\"end\" x=\"").number(left + SIDE);
            svg.raw("\" y=\"")
                    .number(y + 9)
                    .raw("\">")
                    .text(Numbers.percent(one.probability()))
                    .raw("</text>");
            svg.raw("<rect class=\"bar\" x=\"").number(left).raw("\" y=\"").number(y + 14);
            svg.raw("\" height=\"6\" rx=\"2\" width=\"")
                    .number(Math.max(1, SIDE * one.probability()))
                    .raw("\"/>");
        }
        left += SIDE;
    }

    private void title(String title, String below) {
        svg.raw("<text class=\"title\" x=\"")
                .number(left)
                .raw("\" y=\"18\">")
                .text(title)
                .raw("</text>");
        svg.raw("<text class=\"small\" x=\"")
                .number(left)
                .raw("\" y=\"")
                .number(TOP + SIDE + 18)
                .raw("\">");
        svg.text(below).raw("</text>");
    }

    /** From what was drawn last to what is drawn next. */
    private void arrow(String label) {
        double middle = TOP + SIDE / 2.0;
        double from = left + 9.0;
        double to = left + GAP - 9.0;
        svg.raw("<path d=\"M").number(from).raw(" ").number(middle).raw("H").number(to);
        svg.raw("m-6 -5l6 5l-6 5\"/><text class=\"small\" text-anchor=\"middle\" x=\"")
                .number((from + to) / 2);
        svg.raw("\" y=\"").number(middle - 10).raw("\">").text(label).raw("</text>");
        left += GAP;
    }

    private void picture(String address, String style, double x, double y, double side) {
        svg.raw("<image class=\"" + style + "\" x=\"")
                .number(left + x)
                .raw("\" y=\"")
                .number(TOP + y);
        svg.raw("\" width=\"").number(side).raw("\" height=\"").number(side);
        svg.raw("\" preserveAspectRatio=\"none\" href=\"").raw(address).raw("\"/>");
    }

    private static List<List<Double>> rows(float[][] values) {
        return Arrays.stream(values)
                .map(row -> IntStream.range(0, row.length)
                        .mapToObj(i -> (double) row[i])
                        .toList())
                .toList();
    }
}
