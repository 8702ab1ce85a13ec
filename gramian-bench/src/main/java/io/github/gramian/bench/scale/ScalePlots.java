package io.github.gramian.bench.scale;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The plots of the page, on logarithmic axes, where a power law is a straight line. */
final class ScalePlots {

    private ScalePlots() {}

    /** Writes time.png, memory.png and images.png. */
    static void write(ScalePlan.Result result, Path folder) throws IOException {
        save(
                ofSweeps(
                        "Time of a step of the head",
                        "milliseconds",
                        result.sweeps(),
                        point -> point.step().median()),
                folder.resolve("time.png"));
        List<HeadSweep.Result> withMemory =
                result.sweeps().stream().filter(sweep -> sweep.memory() != null).toList();
        if (!withMemory.isEmpty()) {
            save(
                    ofSweeps("Memory of a step of the head", "megabytes", withMemory, HeadSweep.Point::stepMegabytes),
                    folder.resolve("memory.png"));
        }
        save(ofImages(result.path()), folder.resolve("images.png"));
    }

    private static XYChart ofSweeps(
            String title, String unit, List<HeadSweep.Result> sweeps, ToDoubleFunction<HeadSweep.Point> y) {
        XYChart chart = chart(title, "size, as a multiple of the smallest measured", unit);
        for (HeadSweep.Result sweep : sweeps) {
            double smallest = sweep.points().get(0).value();
            chart.addSeries(
                    sweep.sweep().axis().symbol(),
                    sweep.points().stream()
                            .mapToDouble(point -> point.value() / smallest)
                            .toArray(),
                    sweep.points().stream().mapToDouble(y).toArray());
        }
        return chart;
    }

    private static XYChart ofImages(PathBenchmark.Result path) {
        XYChart chart = chart("Time from image files to answers", "images", "seconds");
        double[] images =
                path.points().stream().mapToDouble(PathBenchmark.Point::images).toArray();
        XYSeries line = chart.addSeries(
                "fit",
                images,
                path.points().stream()
                        .mapToDouble(point -> path.growth().at(point.images()) / 1e3)
                        .toArray());
        line.setMarker(SeriesMarkers.NONE);
        line.setLineColor(Color.GRAY);
        chart.addSeries(
                        "measured",
                        images,
                        path.points().stream()
                                .mapToDouble(point -> point.timing().median() / 1e3)
                                .toArray())
                .setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        return chart;
    }

    private static XYChart chart(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(720)
                .height(450)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        XYStyler style = chart.getStyler();
        style.setLegendPosition(LegendPosition.OutsideE);
        style.setXAxisLogarithmic(true);
        style.setYAxisLogarithmic(true);
        style.setChartBackgroundColor(Color.WHITE);
        style.setLocale(Locale.ROOT);
        return chart;
    }

    private static void save(XYChart chart, Path file) throws IOException {
        ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", file.toFile());
    }
}
