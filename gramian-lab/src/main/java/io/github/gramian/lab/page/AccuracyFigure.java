package io.github.gramian.lab.page;

import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.ResultTable;
import io.github.gramian.lab.page.SvgPicture.Anchor;
import io.github.gramian.lab.page.SvgPicture.Axis;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** Accuracies of a dataset as SVG: a dot for the mean, a bar for its 95 % interval, one block per protocol. */
final class AccuracyFigure {

    private static final int LEFT = 420;
    private static final int PLOT = 420;
    private static final int RIGHT = 70;
    private static final int LINE = 20;
    private static final int HEAD = 34;
    private static final int AXIS = 44;
    private static final int MAX_LETTERS = 72;

    private final List<ResultTable> tables;
    private final Axis axis;

    private AccuracyFigure(List<ResultTable> tables) {
        this.tables = tables;
        this.axis = Axis.linear(tables.stream()
                .flatMap(table -> table.rows().stream())
                .flatMapToDouble(row -> DoubleStream.of(lower(row), upper(row)))
                .toArray());
    }

    static String of(List<ResultTable> tables) {
        return new AccuracyFigure(tables).draw();
    }

    private static double percent(ResultTable.Row row) {
        return 100 * row.accuracy().mean();
    }

    private static double lower(ResultTable.Row row) {
        return 100 * row.accuracy().lower();
    }

    private static double upper(ResultTable.Row row) {
        return 100 * row.accuracy().upper();
    }

    private String draw() {
        int lines = tables.stream().mapToInt(table -> table.rows().size()).sum();
        int height = tables.size() * HEAD + lines * LINE + AXIS;
        SvgPicture picture = new SvgPicture(LEFT + PLOT + RIGHT, height);
        int bottom = height - AXIS;
        for (double tick : axis.ticks()) {
            picture.line(x(tick), 0, x(tick), bottom, "#ddd", 1);
            picture.text(x(tick), bottom + 16, Anchor.MIDDLE, Axis.name(tick));
        }
        picture.text(
                LEFT + PLOT / 2.0,
                bottom + 34,
                Anchor.MIDDLE,
                "test accuracy in %, with its 95 % interval over test images (and over splits, if there are several)");
        int y = 0;
        for (ResultTable table : tables) {
            picture.text(8, y + 21, Anchor.START, DatasetPage.heading(table, tables));
            y += HEAD;
            boolean several = table.grids().size() > 1;
            for (ResultTable.Row row : table.rows()) {
                row(picture, row, several ? row.label() + ", " + row.grid() : row.label(), y + LINE / 2.0);
                y += LINE;
            }
        }
        return picture.finished();
    }

    private void row(SvgPicture picture, ResultTable.Row row, String name, double y) {
        picture.text(LEFT - 10, y + 4, Anchor.END, Text.shortened(name, MAX_LETTERS));
        picture.line(x(lower(row)), y, x(upper(row)), y, "#2563a8", 2);
        picture.dot(x(percent(row)), y, 4, "#2563a8");
        picture.text(LEFT + PLOT + 12, y + 4, Anchor.START, String.format(Locale.ROOT, "%.2f", percent(row)));
    }

    private double x(double percent) {
        return LEFT + PLOT * axis.share(percent);
    }
}
