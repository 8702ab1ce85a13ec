package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.run.internal.ReportData;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The descriptors of the test images in the plane. */
final class MapSection implements Section {

    private static final int WIDTH = 640;
    private static final int HEIGHT = 480;
    private static final int MARGIN = 16;
    private static final int COLOURS = 8;

    /** From here on marks are drawn thinner. */
    private static final int MANY = 1_000;

    /** Shapes about their middle, each with a radius of about 4.5; with eight colours they distinguish forty classes. */
    private static final List<String> SHAPES = List.of(
            "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
            "m-3.6-3.6h7.2v7.2h-7.2z",
            "m0-4.8l4.6 8h-9.2z",
            "m0-5l5 5l-5 5l-5-5z",
            "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z");

    @Override
    public String id() {
        return "map";
    }

    @Override
    public String title() {
        return "Map of the images";
    }

    @Override
    public String reading() {
        return "Every mark is an image, and images with similar descriptors lie close together: classes that form"
                + " separate clusters are easy, classes that overlap are confused. A ring marks a mistake; choose a"
                + " class to see only that one.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        ReportData.DescriptorMap map = run.shown().map();
        if (map.points().isEmpty()) {
            return;
        }
        Map<Integer, List<ReportData.Point>> byClass = map.points().stream()
                .collect(Collectors.groupingBy(ReportData.Point::truth, TreeMap::new, Collectors.toList()));
        html.raw("<div class=\"split wide\"><div><svg id=\"plane\""
                        + (map.points().size() > MANY ? " class=\"many\"" : "")
                        + " role=\"img\" viewBox=\"0 0 " + WIDTH + " " + HEIGHT
                        + "\"")
                .attribute(
                        "aria-label",
                        "Map of " + Numbers.count(map.points().size(), "image") + " of "
                                + Numbers.count(byClass.size(), "class"))
                .raw(">");
        drawing(run.scores(), map.points(), byClass, html);
        html.raw("</svg><p class=\"caption\">").text(caption(run.shown())).raw("</p></div><div>");
        legend(run.scores(), byClass, html);
        html.raw("</div></div>");
    }

    private static void drawing(
            ShownScores scores,
            List<ReportData.Point> points,
            Map<Integer, List<ReportData.Point>> byClass,
            Html html) {
        double left = points.stream().mapToDouble(ReportData.Point::x).min().orElse(0);
        double right = points.stream().mapToDouble(ReportData.Point::x).max().orElse(1);
        double low = points.stream().mapToDouble(ReportData.Point::y).min().orElse(0);
        double high = points.stream().mapToDouble(ReportData.Point::y).max().orElse(1);
        // One factor for both directions, so that distances remain comparable.
        double factor = Math.min(
                (WIDTH - 2 * MARGIN) / Math.max(1e-300, right - left),
                (HEIGHT - 2 * MARGIN) / Math.max(1e-300, high - low));
        if (!Double.isFinite(factor)) {
            factor = 1;
        }
        for (Map.Entry<Integer, List<ReportData.Point>> group : byClass.entrySet()) {
            int number = group.getKey();
            html.raw("<g class=\"points k" + number % COLOURS + "\" data-class=\"" + number + "\">");
            for (ReportData.Point point : group.getValue()) {
                double x = WIDTH / 2.0 + factor * (point.x() - left / 2 - right / 2);
                double y = HEIGHT / 2.0 - factor * (point.y() - low / 2 - high / 2);
                mark(scores, point, x, y, html);
            }
            html.raw("</g>");
        }
    }

    private static void mark(ShownScores scores, ReportData.Point point, double x, double y, Html html) {
        boolean wrong = point.predicted() >= 0 && point.predicted() != point.truth();
        String tip = scores.className(point.truth())
                + (wrong ? "\npredicted as " + scores.className(point.predicted()) : "") + "\n" + point.id();
        html.raw("<path d=\"M")
                .number(x)
                .raw(" ")
                .number(y)
                .raw(shape(point.truth()) + "\"")
                .attribute("data-tip", tip)
                .raw("/>");
        if (wrong) {
            html.raw("<circle class=\"ring\" r=\"8\" cx=\"")
                    .number(x)
                    .raw("\" cy=\"")
                    .number(y)
                    .raw("\"/>");
        }
    }

    private static String shape(int number) {
        return SHAPES.get(number / COLOURS % SHAPES.size());
    }

    private static void legend(ShownScores scores, Map<Integer, List<ReportData.Point>> byClass, Html html) {
        html.raw(
                "<div class=\"tools\"><button type=\"button\" id=\"only-mistakes\" aria-pressed=\"false\">only mistakes"
                        + "</button><button type=\"button\" id=\"all-classes\">all classes</button></div>"
                        + "<div class=\"legend\" role=\"group\" aria-label=\"Classes on the map\">");
        byClass.forEach((number, points) -> html.raw("<button type=\"button\" aria-pressed=\"false\" data-class=\""
                        + number + "\"><svg class=\"points k" + number % COLOURS
                        + "\" width=\"14\" height=\"14\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\"><path d=\"M0 0"
                        + shape(number) + "\"/></svg><span>")
                .text(scores.className(number))
                .raw("</span><small>" + points.size() + "</small></button>"));
        html.raw("</div>");
    }

    private static String caption(ShownData shown) {
        ReportData.DescriptorMap map = shown.map();
        StringBuilder caption = new StringBuilder(map.method().isBlank() ? "Projection" : map.method());
        double explained = map.explained().stream().mapToDouble(value -> value).sum();
        if (map.explained().size() == 2 && Double.isFinite(explained)) {
            caption.append("; these two directions hold ")
                    .append(Numbers.percent(explained))
                    .append(" of the variance");
        }
        if (shown.total() > map.points().size()) {
            caption.append("; ")
                    .append(Numbers.count(map.points().size()))
                    .append(" of ")
                    .append(Numbers.count(shown.total()))
                    .append(" images are drawn");
        }
        return caption.append('.').toString();
    }
}
