package io.github.gramian.cli.draw;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.SimilarOrder;
import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.report.HeatMap;
import io.github.gramian.cli.report.Thumbnails;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.ImageTrace;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian draw}: the way of one image through a model. */
@Command(
        name = "draw",
        description = {
            "Draws how a model processes an image, as SVG.",
            "Shows the feature maps, their kernel matrix ordered by similarity,",
            "the transformed matrix, and the most probable classes. One SVG file, for light and dark pages.",
            "With --where, draws which parts of the image raised the score of a class."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian draw runs/first photo.jpg --out photo.svg",
            "  gramian draw runs/first photo.jpg --where --out where.png",
            "  gramian draw runs/first photos/ --where --class linen --out where.html"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DrawCommand extends PrintingCommand {

    @Parameters(index = "0", paramLabel = "MODEL", description = "A model.gramian, or its run directory.")
    private Path model;

    @Parameters(
            index = "1",
            paramLabel = "IMAGE",
            description = "Image file to draw. With --where also a directory, whose images are drawn on one page.")
    private Path image;

    @Option(
            names = "--where",
            description = "Draw where the model looked: the contribution of each part of the image to the score.")
    private boolean where;

    @Option(
            names = "--class",
            paramLabel = "NAME",
            description = "Class whose score is explained, with --where (default: the predicted class).")
    private @Nullable String className;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description = "SVG file to write. With --where, the extension selects SVG, PNG or HTML.")
    private Path out;

    @Override
    public Integer call() throws IOException {
        Path file = Files.isDirectory(model) ? new RunFolder(model).model() : model;
        PrintWriter terminal = stdout();
        if (where) {
            new WhereDrawing(file, image, className, out).write(terminal::println);
            terminal.println("drawing: " + out);
            terminal.flush();
            return 0;
        }
        if (className != null) {
            throw new IllegalArgumentException("--class needs --where, which draws the map of a class; add --where");
        }
        Decoded decoded = ImageDecoder.forLocalFiles().decode(image, Reduction.NONE);
        if (decoded instanceof Decoded.Rejected rejected) {
            throw new ModelException(image + ": " + rejected.sentence());
        }
        ImageTrace trace = ImageTrace.of(file, ((Decoded.Picture) decoded).image(), TraceDrawing.MAPS);
        AtomicFile.writeText(out, new TraceDrawing(trace).svg());
        terminal.println("drawing: " + out);
        terminal.flush();
        return 0;
    }

    /** The way of one image through a model, from left to right, as one SVG that light and dark pages can show. */
    private static final class TraceDrawing {

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
                    + "<title>" + Html.escape(alternative()) + "</title><style>" + STYLE + "</style>" + svg
                    + "</svg>\n";
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
            double[][] rows = rows(values);
            double[][] shown = withoutExtremes(kernel ? SimilarOrder.applied(rows) : rows);
            picture(new HeatMap(shown).address(), "", 0, 0, SIDE);
            left += SIDE;
        }

        /** A diagonal far above the rest would leave the rest in one colour. */
        private static double[][] withoutExtremes(double[][] rows) {
            double[] sorted =
                    Arrays.stream(rows).flatMapToDouble(Arrays::stream).sorted().toArray();
            double low = sorted[sorted.length / 100];
            double high = sorted[sorted.length - 1 - sorted.length / 50];
            return Arrays.stream(rows)
                    .map(row -> Arrays.stream(row)
                            .map(value -> Math.max(low, Math.min(high, value)))
                            .toArray())
                    .toArray(double[][]::new);
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

        private static double[][] rows(float[][] values) {
            return Arrays.stream(values)
                    .map(row -> IntStream.range(0, row.length)
                            .mapToDouble(i -> row[i])
                            .toArray())
                    .toArray(double[][]::new);
        }
    }

    /**
     * {@code gramian draw --where}: where a model looked, as SVG or PNG for an image, or as one HTML page for many.
     *
     * @param model a model file
     * @param images an image file or a folder
     * @param className the class to explain; null for the predicted one
     * @param out the file to write; its extension selects the format
     */
    private record WhereDrawing(
            Path model, Path images, @Nullable String className, Path out) {

        /** A page of more images would not open in a browser. */
        private static final int MAX_IMAGES = 500;

        private static final int SIDE = 320;
        private static final int GAP = 16;
        private static final int TOP = 30;
        private static final int MAX_LETTERS = 60;

        private static final String STYLE =
                "text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:12px;fill:#57606a}"
                        + ".title{font-weight:600}"
                        + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}}";

        private static final String SCALE =
                "<defs><linearGradient id=\"scale\"><stop offset=\"0\" stop-color=\"#808080\"/>"
                        + "<stop offset=\".25\" stop-color=\"#59157e\"/><stop offset=\".5\" stop-color=\"#b73779\"/>"
                        + "<stop offset=\".75\" stop-color=\"#fb8861\"/><stop offset=\"1\" stop-color=\"#fcfdbf\"/></linearGradient></defs>";

        /** @param note receives a sentence for each image that is drawn or cannot be read */
        void write(Consumer<String> note) throws IOException {
            String format = format();
            boolean folder = Files.isDirectory(images);
            if (folder && !format.equals("html")) {
                throw new IllegalArgumentException(
                        images + " is a directory, whose maps are written to one page; use --out FILE.html");
            }
            ObjectNode page = Json.object();
            Explanation last = null;
            try (BatchPredictor predictor = BatchPredictor.load(model)) {
                Explainer explainer = Explainer.of(predictor)
                        .orElseThrow(() -> new ModelException(model + " has no maps, because "
                                + Explainer.obstacle(predictor).orElseThrow()));
                List<Integer> classes = classes(predictor);
                for (Path file : files(folder, note)) {
                    PreparedImage image = predictor.prepare(file);
                    if (image.rejected().isPresent()) {
                        String reason = file + ": " + image.rejected().get().sentence();
                        if (!folder) {
                            throw new ModelException(reason);
                        }
                        note.accept("skipped " + reason);
                        continue;
                    }
                    last = explainer.explain(image, classes).get(0);
                    Path name = folder ? images.relativize(file) : file.getFileName();
                    note.accept(name + ": " + answer(last) + ". " + WhereOverlay.legend(last));
                    if (format.equals("html")) {
                        page.withArrayProperty("items").add(item(name.toString(), last));
                    }
                }
            }
            if (last == null) {
                throw new IllegalArgumentException(images + " has no image that can be read; give photographs");
            }
            switch (format) {
                case "png" -> AtomicFile.writeBytes(out, ByteBuffer.wrap(WhereOverlay.png(last)));
                case "svg" -> AtomicFile.writeText(out, svg(last));
                default -> AtomicFile.writeText(out, Html.page("Where the model looked", "where.html", page));
            }
        }

        private String format() {
            String name = out.toString().toLowerCase(Locale.ROOT);
            return Stream.of("png", "svg", "html")
                    .filter(format -> name.endsWith("." + format))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "--out must end in .png, .svg or .html with --where, but is " + out));
        }

        private List<Integer> classes(BatchPredictor predictor) {
            if (className == null) {
                return List.of();
            }
            int index = predictor.classes().indexOf(className);
            if (index < 0) {
                int more = predictor.classes().size() - 20;
                throw new IllegalArgumentException("the model has no class '" + className + "'; it has "
                        + String.join(
                                ", ", predictor.classes().stream().limit(20).toList())
                        + (more > 0 ? " and " + more + " more" : ""));
            }
            return List.of(index);
        }

        private List<Path> files(boolean folder, Consumer<String> note) {
            if (!folder) {
                return List.of(images);
            }
            List<Path> files = Layouts.images(images, note);
            if (files.isEmpty()) {
                throw new IllegalArgumentException(images + " contains no images; give files or another directory");
            }
            if (files.size() > MAX_IMAGES) {
                throw new IllegalArgumentException(images + " has " + files.size() + " images, but a page has at most "
                        + MAX_IMAGES + "; give a smaller directory");
            }
            return files;
        }

        /** For the template {@code where.html}. */
        private static ObjectNode item(String name, Explanation explanation) {
            return Json.object()
                    .put("name", Text.shortened(name, 1_000))
                    .put("answer", answer(explanation))
                    .put("legend", WhereOverlay.legend(explanation))
                    .put("photo", photo(explanation))
                    .put("map", overlay(explanation));
        }

        /** The image next to its map, with a scale and one sentence. */
        private static String svg(Explanation explanation) {
            double height = SIDE
                    * explanation.picture().height()
                    / (double) explanation.picture().width();
            int right = SIDE + GAP;
            int width = 2 * SIDE + GAP;
            String legend = WhereOverlay.legend(explanation);
            String image = "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"{}\"/>";
            return new Html()
                    .add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\"", width, TOP + height + 66)
                    .add(" role=\"img\"><title>{}</title><style>" + STYLE + "</style>" + SCALE, legend)
                    .add("<text class=\"title\" x=\"0\" y=\"18\">{}</text>", answer(explanation))
                    .add(image, 0, TOP, SIDE, height, photo(explanation))
                    .add(image, right, TOP, SIDE, height, overlay(explanation))
                    .add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"8\"", right, TOP + height + 10, SIDE)
                    .add(" rx=\"3\" fill=\"url(#scale)\"/>")
                    .add("<text class=\"small\" x=\"{}\" y=\"{}\">nothing</text>", right, TOP + height + 34)
                    .add("<text class=\"small\" text-anchor=\"end\" x=\"{}\" y=\"{}\">", width, TOP + height + 34)
                    .add("the most</text><text class=\"small\" x=\"0\" y=\"{}\">{}</text>", TOP + height + 56, legend)
                    .add("</svg>\n")
                    .toString();
        }

        /** The class and its probability, and the predicted class if that is another one. */
        private static String answer(Explanation explanation) {
            Prediction prediction = explanation.prediction();
            String own = Text.shortened(explanation.className(), MAX_LETTERS) + " "
                    + Numbers.percent(explanation.probability());
            return prediction.predicted() == explanation.subject()
                    ? own
                    : own + " (predicted: " + Text.shortened(prediction.label(), MAX_LETTERS) + " "
                            + Numbers.percent(prediction.probability(prediction.predicted())) + ")";
        }

        private static String photo(Explanation explanation) {
            RgbImage picture = explanation.picture();
            return Thumbnails.dataAddress(Thumbnails.raster(picture), "jpeg");
        }

        private static String overlay(Explanation explanation) {
            return Thumbnails.dataAddress(WhereOverlay.paint(explanation), "jpeg");
        }
    }
}
