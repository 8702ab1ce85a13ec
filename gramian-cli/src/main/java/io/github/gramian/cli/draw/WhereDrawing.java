package io.github.gramian.cli.draw;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.cli.report.Thumbnails;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code gramian draw --where}: where a model looked, as SVG or PNG for an image, or as one HTML page for many.
 *
 * @param model a model file
 * @param images an image file or a folder
 * @param className the class to explain; null for the predicted one
 * @param out the file to write; its extension selects the format
 */
record WhereDrawing(Path model, Path images, @Nullable String className, Path out) {

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

    private static final String SCALE = "<defs><linearGradient id=\"scale\"><stop offset=\"0\" stop-color=\"#808080\"/>"
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
                    + String.join(", ", predictor.classes().stream().limit(20).toList())
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
        String own =
                Text.shortened(explanation.className(), MAX_LETTERS) + " " + Numbers.percent(explanation.probability());
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
