package io.github.gramian.lab.page;

import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.page.SvgPicture.Anchor;
import io.github.gramian.lab.page.SvgPicture.Axis;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.DoubleStream;

/** Panels side by side as SVG: accuracies over something on a logarithmic axis, as curves or as single points. */
final class PanelFigure {

    /** A place; deviation 0 for none. */
    record Point(double x, double percent, double deviation) {}

    /** Points that belong together: joined to a curve if there are several; a single one that has a label gets a number. */
    record Series(String label, List<Point> points) {}

    record Panel(String title, List<Series> series) {}

    private static final String[] COLOURS = {"#2563a8", "#d1495b", "#3a7d44", "#8a5a9e", "#c98a1b", "#4f6d7a"};
    private static final int WIDTH = 330;
    private static final int HEIGHT = 260;
    private static final int LEFT = 50;
    private static final int TOP = 30;
    private static final int PLOT_WIDTH = WIDTH - LEFT - 20;
    private static final int PLOT_HEIGHT = HEIGHT - TOP - 50;
    private static final int LEGEND_LINE = 18;
    private static final int MAX_LETTERS = 44;

    private PanelFigure() {}

    /** @param below what the horizontal axes measure */
    static String of(List<Panel> panels, String below) {
        List<String> curves = panels.stream()
                .flatMap(panel -> panel.series().stream())
                .filter(series -> series.points().size() > 1)
                .map(Series::label)
                .distinct()
                .toList();
        int width = Math.max(1, panels.size()) * WIDTH;
        int named =
                panels.stream().mapToInt(panel -> numbered(panel).size()).max().orElse(0);
        int height = HEIGHT + Math.max((curves.size() + 1) / 2, named) * LEGEND_LINE;
        SvgPicture picture = new SvgPicture(width, height);
        for (int i = 0; i < panels.size(); i++) {
            panel(picture, panels.get(i), i * WIDTH, curves);
            picture.text(i * WIDTH + LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 38, Anchor.MIDDLE, below);
        }
        for (int i = 0; i < curves.size(); i++) {
            int line = i / 2;
            double x = LEFT + i % 2 * (width - LEFT) / 2.0;
            double y = HEIGHT + line * LEGEND_LINE + 6.0;
            picture.line(x, y, x + 22, y, colour(i), 2);
            picture.text(x + 30, y + 4, Anchor.START, curves.get(i));
        }
        return picture.finished();
    }

    private static void panel(SvgPicture picture, Panel panel, int offset, List<String> curves) {
        List<Point> all = panel.series().stream()
                .flatMap(series -> series.points().stream())
                .toList();
        Axis across = Axis.logarithmic(all.stream().mapToDouble(Point::x).toArray());
        Axis up = Axis.linear(all.stream()
                .flatMapToDouble(
                        one -> DoubleStream.of(one.percent() - one.deviation(), one.percent() + one.deviation()))
                .toArray());
        int left = offset + LEFT;
        int bottom = TOP + PLOT_HEIGHT;
        picture.text(left, TOP - 12, Anchor.START, panel.title());
        for (double tick : up.ticks()) {
            double y = bottom - PLOT_HEIGHT * up.share(tick);
            picture.line(left, y, left + PLOT_WIDTH, y, "#ddd", 1);
            picture.text(left - 6, y + 4, Anchor.END, Axis.name(tick));
        }
        for (double tick : across.ticks()) {
            double x = left + PLOT_WIDTH * across.share(tick);
            picture.line(x, bottom, x, bottom + 4, "#888", 1);
            picture.text(x, bottom + 18, Anchor.MIDDLE, Axis.name(tick));
        }
        List<Series> numbered = numbered(panel);
        for (Series series : panel.series()) {
            int number = curves.indexOf(series.label());
            String colour = number < 0 ? "#2563a8" : colour(number);
            List<double[]> places = new ArrayList<>();
            for (Point point : series.points()) {
                double x = left + PLOT_WIDTH * across.share(point.x());
                double y = bottom - PLOT_HEIGHT * up.share(point.percent());
                double reach =
                        PLOT_HEIGHT * (up.share(point.percent() + point.deviation()) - up.share(point.percent()));
                picture.line(x, y - reach, x, y + reach, colour, 1);
                picture.dot(x, y, 3, colour);
                places.add(new double[] {x, y});
            }
            for (int i = 1; i < places.size(); i++) {
                picture.line(places.get(i - 1)[0], places.get(i - 1)[1], places.get(i)[0], places.get(i)[1], colour, 2);
            }
            int place = numbered.indexOf(series);
            if (place >= 0) {
                picture.text(places.get(0)[0], places.get(0)[1] - 7, Anchor.MIDDLE, String.valueOf(place + 1));
                picture.text(
                        left,
                        HEIGHT + 6.0 + place * LEGEND_LINE,
                        Anchor.START,
                        (place + 1) + "  " + Text.shortened(series.label(), MAX_LETTERS));
            }
        }
    }

    private static List<Series> numbered(Panel panel) {
        return panel.series().stream()
                .filter(series -> series.points().size() == 1 && !series.label().isEmpty())
                .sorted(Comparator.comparingDouble(
                        series -> series.points().get(0).x()))
                .toList();
    }

    private static String colour(int number) {
        return COLOURS[number % COLOURS.length];
    }
}
