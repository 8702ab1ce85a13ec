package io.github.gramian.lab.page;

import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.ResultTable;
import io.github.gramian.lab.page.Markdown.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Accuracy by the number of training images: the tables of the protocols {@code few-N} of a dataset, side by side. */
final class LearningCurves {

    private static final Pattern FEW = Pattern.compile("few-([0-9]{1,6})\\b.*");

    /** Of each dataset, by the number of training images of a class. */
    private final Map<String, NavigableMap<Integer, ResultTable>> byDataset = new LinkedHashMap<>();

    private final DatasetTitles titles;

    LearningCurves(List<ResultTable> tables, DatasetTitles titles) {
        this.titles = titles;
        for (ResultTable table : tables) {
            Matcher few = FEW.matcher(String.valueOf(table.protocol().protocol()));
            if (few.matches()) {
                byDataset
                        .computeIfAbsent(String.valueOf(table.protocol().dataset()), unused -> new TreeMap<>())
                        .put(Integer.parseInt(few.group(1)), table);
            }
        }
    }

    static boolean isPartOf(ResultTable table) {
        return FEW.matcher(String.valueOf(table.protocol().protocol())).matches();
    }

    boolean isEmpty() {
        return byDataset.isEmpty();
    }

    /** One panel per dataset. */
    String figure() {
        List<PanelFigure.Panel> panels = new ArrayList<>();
        byDataset
                .values()
                .forEach(curves -> panels.add(new PanelFigure.Panel(
                        title(curves).full(),
                        labels(curves).stream()
                                .map(label -> curve(label, curves))
                                .toList())));
        return PanelFigure.of(panels, "training images per class; accuracy in %, ± over draws");
    }

    private DatasetTitles.Title title(NavigableMap<Integer, ResultTable> curves) {
        return titles.of(curves.firstEntry().getValue().dataset());
    }

    private static List<String> labels(NavigableMap<Integer, ResultTable> curves) {
        return curves.values().stream()
                .flatMap(table -> table.rows().stream())
                .map(ResultTable.Row::label)
                .distinct()
                .sorted()
                .toList();
    }

    private static PanelFigure.Series curve(String label, NavigableMap<Integer, ResultTable> curves) {
        List<PanelFigure.Point> points = new ArrayList<>();
        curves.forEach((images, table) -> table.rows().stream()
                .filter(row -> row.label().equals(label))
                .forEach(row -> points.add(new PanelFigure.Point(
                        images,
                        100 * row.accuracy().mean(),
                        Double.isNaN(row.spread().deviation())
                                ? 0
                                : 100 * row.spread().deviation()))));
        return new PanelFigure.Series(label, points);
    }

    /** States what varies, and the error from the choice of test images, which the spread does not include. */
    private static String caption(NavigableMap<Integer, ResultTable> curves) {
        List<ResultTable.Row> rows =
                curves.values().stream().flatMap(table -> table.rows().stream()).toList();
        String varying = TableColumns.varying(rows);
        if (varying.isEmpty()) {
            return "Accuracy % of one draw of training images:";
        }
        double error = rows.stream()
                .map(ResultTable.Row::accuracy)
                .mapToDouble(accuracy -> (accuracy.upper() - accuracy.lower()) / 2)
                .max()
                .orElseThrow();
        return Text.format(
                "Accuracy %% ± standard deviation over %s. Each draws other training images. The choice of test images"
                        + " adds an error of up to %.1f points (half of a 95 %% interval), which ± does not include:",
                varying, 100 * error);
    }

    private static String cell(ResultTable.Row row) {
        double deviation = row.spread().deviation();
        return Double.isNaN(deviation)
                ? Text.format("%.2f", 100 * row.accuracy().mean())
                : Text.format("%.2f ± %.2f", 100 * row.accuracy().mean(), 100 * deviation);
    }

    /** Adds one table per dataset: methods down, training images per class across. */
    void addTo(Markdown page) {
        byDataset.values().forEach(curves -> {
            ResultTable any = curves.firstEntry().getValue();
            page.paragraph("**" + Markdown.text(title(curves).full()) + "**; "
                    + Markdown.text(DatasetPage.heading(any.protocol())) + ". " + caption(curves));
            Table<String> columns = new Table<String>().text("training images per class", Markdown::text);
            curves.forEach((images, table) -> columns.figure(
                    Integer.toString(images),
                    label -> table.rows().stream()
                            .filter(one -> one.label().equals(label))
                            .map(LearningCurves::cell)
                            .findFirst()
                            .orElse("–")));
            page.table(columns, labels(curves));
        });
    }
}
