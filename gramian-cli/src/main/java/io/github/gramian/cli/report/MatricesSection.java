package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.SimilarOrder;
import io.github.gramian.run.internal.ReportData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** K and Y of a few images with their eigenvalues. */
final class MatricesSection implements Section {

    /** The matrix whose rows are feature maps: their order has no meaning, so they may be reordered for display. */
    private static final String OF_CHANNELS = "K";

    /** The matrices of one row: an image as one branch of the network sees it. */
    private record Row(String image, String truth, String branch) {}

    @Override
    public String id() {
        return "matrices";
    }

    @Override
    public String title() {
        return "Kernel matrix K and transformed matrix Y";
    }

    @Override
    public String reading() {
        return "K records how much the feature maps of an image resemble each other, pair by pair; Y is its learnt, smaller"
                + " version, from which the class is read. A spectrum that falls slowly means that many directions carry"
                + " information; one that drops to nothing at once means that few do.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        Map<Row, List<ReportData.Matrix>> rows = new LinkedHashMap<>();
        for (ReportData.Matrix matrix : run.shown().matrices()) {
            Row row = new Row(matrix.image(), matrix.truth(), matrix.branch());
            rows.computeIfAbsent(row, first -> new ArrayList<>()).add(matrix);
        }
        Thumbnails thumbnails = new Thumbnails(run.scores().origin().root());
        rows.forEach((row, matrices) -> {
            html.raw("<div class=\"maps\"><figure class=\"source\">");
            MistakesSection.picture(thumbnails.of(row.image()), "An image of " + row.truth(), html);
            html.raw("<figcaption><b>").text(row.truth()).raw("</b>");
            for (String line : List.of(row.branch(), row.image())) {
                html.raw("<span class=\"file\">").text(line).raw("</span>");
            }
            html.raw("</figcaption></figure>");
            matrices.forEach(matrix -> matrix(matrix, html));
            html.raw("</div>");
        });
    }

    private static void matrix(ReportData.Matrix matrix, Html html) {
        String name = matrix.name().isBlank() ? "matrix" : matrix.name();
        String size = matrix.size() > 0 ? matrix.size() + " × " + matrix.size() : "";
        boolean channels = name.equals(OF_CHANNELS);
        List<List<Double>> values = matrix.values().stream()
                .map(row -> row.stream().map(Float::doubleValue).toList())
                .toList();
        HeatMap heatMap = new HeatMap(channels ? SimilarOrder.applied(values) : values);
        html.raw("<div class=\"matrix\">");
        heatMap.address().ifPresent(address -> {
            html.raw("<figure class=\"heat\"><figcaption><b>")
                    .text(name)
                    .raw("</b> ")
                    .text(size);
            html.raw("</figcaption><img src=\"" + address + "\"")
                    .attribute("alt", "Heat map of " + name)
                    .raw("><span class=\"scale " + heatMap.scaleStyle() + "\"><span>")
                    .text(Numbers.compact(heatMap.low()))
                    .raw("</span><i></i><span>")
                    .text(Numbers.compact(heatMap.high()))
                    .raw("</span></span>");
            if (channels) {
                int shown = values.size();
                html.raw("<span class=\"order\">")
                        .text((shown < matrix.size() ? "the first " + shown + " channels, " : "")
                                + "ordered by similarity, not as in the network")
                        .raw("</span>");
            }
            html.raw("</figure>");
        });
        double[] spectrum =
                matrix.spectrum().stream().mapToDouble(value -> value).toArray();
        long notPositive = Arrays.stream(spectrum).filter(value -> value <= 0).count();
        new LineChart("Eigenvalues of " + name, LineChart.Scale.LOGARITHMIC)
                .curve("eigenvalue", 1, spectrum)
                .along(
                        notPositive == 0 ? "rank" : "rank (" + notPositive + " values ≤ 0 left out)",
                        IntStream.rangeClosed(1, spectrum.length)
                                .mapToObj(rank -> "Number " + rank)
                                .toList(),
                        "1",
                        String.valueOf(spectrum.length))
                .narrow()
                .writeTo(html);
        html.raw("</div>");
    }
}
