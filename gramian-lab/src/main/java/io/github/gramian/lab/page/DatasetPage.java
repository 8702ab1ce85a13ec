package io.github.gramian.lab.page;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.io.internal.Text;
import io.github.gramian.lab.grid.ResultTable;
import io.github.gramian.lab.page.Markdown.Table;
import io.github.gramian.lab.page.SvgPicture.Anchor;
import io.github.gramian.lab.page.SvgPicture.Axis;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** All results on one dataset: every method in a table for each protocol, with its figure. */
final class DatasetPage {

    /** Prefix of the crops of test images, which come last, in {@code ViewsConfig.describe}. */
    private static final String TEST_VIEWS = ", test ";

    private final String dataset;
    private final DatasetTitles.Title title;
    private final List<ResultTable> tables;
    private final List<Published> published;
    private final Markdown page = new Markdown();

    DatasetPage(String dataset, DatasetTitles.Title title, List<ResultTable> tables, List<Published> published) {
        this.dataset = dataset;
        this.title = title;
        this.tables = tables;
        this.published = published;
    }

    /** @param figure the file of its figure */
    String markdown(String figure) {
        page.line("# All results on " + Markdown.text(title.full()));
        page.paragraph("[How to read the columns](README.md#how-to-read-the-tables)." + definition(title));
        page.paragraph("![Accuracies on " + Markdown.text(title.title()) + "](" + figure + ")");
        tables.forEach(this::table);
        others();
        return page.toString();
    }

    static String definition(DatasetTitles.Title title) {
        return title.link().isEmpty()
                ? ""
                : " [Classes, images and splits of " + Markdown.text(title.title()) + "]("
                        + Markdown.plain(title.link()).replaceAll("[()<>\\s]", "") + ").";
    }

    private void others() {
        List<Published> others = published.stream()
                .filter(one -> one.datasets().contains(dataset))
                .filter(one -> tables.stream()
                        .flatMap(table -> table.rows().stream())
                        .noneMatch(row -> one.methods().contains(row.method())))
                .toList();
        if (!others.isEmpty()) {
            page.paragraph("Figures that others have published, for methods without a row above:");
            page.table(
                    new Table<Published>().text("method", Published::name).text("published %", Published::cell),
                    others);
        }
    }

    private void table(ResultTable table) {
        page.paragraph("## " + Markdown.text(heading(table, tables)));
        page.paragraph(protocol(table.protocol()));
        Table<ResultTable.Row> columns = new Table<>();
        columns.text("method", row -> Markdown.text(row.label()));
        if (table.grids().size() > 1) {
            columns.text("grid", row -> Markdown.text(row.grid()));
        }
        TableColumns.addTo(columns, table.rows());
        page.table(columns.text("published %", row -> published(table, row)), table.rows());
    }

    private String published(ResultTable table, ResultTable.Row row) {
        return published.stream()
                .filter(one -> one.datasets().contains(table.dataset())
                        && one.methods().contains(row.method()))
                .map(one -> one.name() + " " + one.cell())
                .collect(Collectors.joining("<br>"));
    }

    /** The evaluation protocol in one sentence. */
    static String protocol(EvaluationProtocol protocol) {
        return "Protocol: "
                + Markdown.text(protocol.dataset() + ", " + protocol.protocol() + "; views: " + protocol.crops())
                + "; data " + Markdown.code(shortened(protocol.contentHash())) + ", weights "
                + Markdown.code(shortened(protocol.weightsHash())) + ".";
    }

    private static String shortened(@Nullable String sum) {
        return sum == null ? "unknown" : sum.substring(0, Math.min(12, sum.length()));
    }

    /** Heading of a table: network, resolution and, unless it is only the centre, the evaluated views of an image. */
    static String heading(EvaluationProtocol protocol) {
        String heading = protocol.backbone() + ", " + protocol.resolution() + " px";
        String crops = protocol.crops() == null ? "" : protocol.crops();
        int views = crops.lastIndexOf(TEST_VIEWS);
        String evaluated = views < 0 ? "centre" : crops.substring(views + TEST_VIEWS.length());
        return evaluated.equals("centre") ? heading : heading + ", views: " + evaluated;
    }

    /**
     * The heading of a table among all of its dataset. Two may differ only in how their networks were trained or images
     * decoded; one that holds a single grid then names it.
     */
    static String heading(ResultTable table, List<ResultTable> all) {
        String heading = heading(table.protocol());
        List<String> grids = table.grids();
        long alike = all.stream()
                .filter(other -> heading(other.protocol()).equals(heading))
                .count();
        return alike > 1 && grids.size() == 1 ? heading + ", grid " + grids.get(0) : heading;
    }

    /**
     * A figure that others have published, under another protocol than ours.
     *
     * @param datasets names in our grids of the dataset that it is about
     * @param methods names in our grids that do the same
     * @param name as its authors call it
     * @param percent accuracy
     */
    record Published(
            List<String> datasets,
            List<String> methods,
            String name,
            String backbone,
            double percent,
            String source,
            String protocol) {

        static List<Published> all() throws IOException {
            try (InputStream in = Objects.requireNonNull(
                    Published.class.getResourceAsStream("published.yaml"), "published.yaml is missing")) {
                return List.of(new YAMLMapper().readValue(in, Published[].class));
            }
        }

        /** For a table: the figure, and how it was measured. */
        String cell() {
            return Text.format("%.1f, not comparable (%s; %s; %s)", percent, backbone, source, protocol);
        }
    }

    /** Accuracies of a dataset as SVG: a dot for the mean, a bar for its 95 % interval, one block per protocol. */
    static final class AccuracyFigure {

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
            picture.text(LEFT + PLOT + 12, y + 4, Anchor.START, Text.format("%.2f", percent(row)));
        }

        private double x(double percent) {
            return LEFT + PLOT * axis.share(percent);
        }
    }
}
