package io.github.gramian.cli.results;

import io.github.gramian.experiment.internal.ResultTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is learned from how few images: tables of the protocols {@code few-N} of a dataset, beside each other. */
final class LearningCurves {

    private static final Pattern FEW = Pattern.compile("few-([0-9]{1,6})\\b.*");

    /** Of each dataset, by the number of training images of a class. */
    private final Map<String, NavigableMap<Integer, ResultTable>> byDataset = new LinkedHashMap<>();

    LearningCurves(List<ResultTable> tables) {
        for (ResultTable table : tables) {
            Matcher few = FEW.matcher(String.valueOf(table.passport().protocol()));
            if (few.matches()) {
                byDataset
                        .computeIfAbsent(String.valueOf(table.passport().dataset()), unused -> new TreeMap<>())
                        .put(Integer.parseInt(few.group(1)), table);
            }
        }
    }

    static boolean isPartOf(ResultTable table) {
        return FEW.matcher(String.valueOf(table.passport().protocol())).matches();
    }

    boolean isEmpty() {
        return byDataset.isEmpty();
    }

    /** A panel a dataset. */
    String figure() {
        List<PanelFigure.Panel> panels = new ArrayList<>();
        byDataset.forEach((dataset, curves) -> panels.add(new PanelFigure.Panel(
                dataset,
                labels(curves).stream().map(label -> curve(label, curves)).toList())));
        return PanelFigure.of(panels, "training images of a class; accuracy in %");
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
                        Double.isNaN(row.accuracy().deviation())
                                ? 0
                                : 100 * row.accuracy().deviation()))));
        return new PanelFigure.Series(label, points);
    }

    /** A table a dataset: methods down, images of a class across. */
    List<String> markdown() {
        List<String> lines = new ArrayList<>();
        byDataset.forEach((dataset, curves) -> {
            ResultTable any = curves.firstEntry().getValue();
            lines.add("");
            lines.add("**" + Markdown.text(dataset) + "**, "
                    + Markdown.text(ProtocolHeading.of(any.passport())) + ", "
                    + any.rows().get(0).accuracy().runs() + " draws of images; accuracy %, mean ± standard deviation:");
            lines.add("");
            StringBuilder head = new StringBuilder("| images of a class |");
            StringBuilder rule = new StringBuilder("|---|");
            curves.keySet().forEach(images -> {
                head.append(String.format(Locale.ROOT, " %d |", images));
                rule.append("---:|");
            });
            lines.add(head.toString());
            lines.add(rule.toString());
            for (String label : labels(curves)) {
                StringBuilder row = new StringBuilder("| " + Markdown.text(label) + " |");
                curves.values()
                        .forEach(table -> row.append(" ")
                                .append(table.rows().stream()
                                        .filter(one -> one.label().equals(label))
                                        .map(one -> DatasetPage.spread(one.accuracy()))
                                        .findFirst()
                                        .orElse("–"))
                                .append(" |"));
                lines.add(row.toString());
            }
        });
        return lines;
    }
}
