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
        RgbImage view = trace.view();
        title("Image", view.width() + " × " + view.height() + " pixels");
        picture(Thumbnails.dataAddress(Thumbnails.raster(view), "jpeg"), "photo", 0, 0, SIDE);
        left += SIDE;
    }

    private void maps() {
        arrow("CNN");
        title("Feature maps", trace.channels() + " channels, the strongest");
        int across = (int) Math.ceil(Math.sqrt(trace.maps().size()));
        double side = (SIDE - 4.0 * (across - 1)) / across;
        for (int i = 0; i < trace.maps().size(); i++) {
            int line = i / across;
            String address = new HeatMap(rows(trace.maps().get(i))).address();
            picture(address, "", i % across * (side + 4), line * (side + 4), side);
        }
        left += SIDE;
    }

    private void matrix(String name, float[][] values) {
        boolean kernel = name.equals("K");
        arrow(kernel ? "kernel" : "Wᵀ · W");
        title(name, values.length + " × " + values.length + (kernel ? ", ordered by similarity" : ""));
        List<List<Double>> rows = rows(values);
        List<List<Double>> shown = withoutExtremes(kernel ? SimilarOrder.applied(rows) : rows);
        picture(new HeatMap(shown).address(), "", 0, 0, SIDE);
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
            double x = left;
            double right = left + SIDE;
            svg.add("<text x=\"{}\" y=\"{}\">{}</text>", x, y + 9, Text.shortened(one.label(), MAX_LETTERS));
            svg.add("<text class=\"small\" text-anchor=\"end\" x=\"{}\" y=\"{}\">", right, y + 9);
            svg.add("{}</text>", Numbers.percent(one.probability()));
            double width = Math.max(1, SIDE * one.probability());
            svg.add("<rect class=\"bar\" x=\"{}\" y=\"{}\" height=\"6\" rx=\"2\" width=\"{}\"/>", x, y + 14, width);
        }
        left += SIDE;
    }

    private void title(String title, String below) {
        svg.add("<text class=\"title\" x=\"{}\" y=\"18\">{}</text>", left, title);
        svg.add("<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>", left, TOP + SIDE + 18, below);
    }

    /** From what was drawn last to what is drawn next. */
    private void arrow(String label) {
        double middle = TOP + SIDE / 2.0;
        double from = left + 9.0;
        double to = left + GAP - 9.0;
        svg.add("<path d=\"M{} {}H{}m-6 -5l6 5l-6 5\"/>", from, middle, to);
        svg.add("<text class=\"small\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">", (from + to) / 2, middle - 10);
        svg.add("{}</text>", label);
        left += GAP;
    }

    private void picture(String address, String style, double x, double y, double side) {
        svg.add("<image class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" ", style, left + x, TOP + y, side);
        svg.add("height=\"{}\" preserveAspectRatio=\"none\" href=\"{}\"/>", side, address);
    }

    private static List<List<Double>> rows(float[][] values) {
        return Arrays.stream(values)
                .map(row -> IntStream.range(0, row.length)
                        .mapToObj(i -> (double) row[i])
                        .toList())
                .toList();
    }
}
