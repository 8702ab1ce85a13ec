package io.github.gramian.cli.draw;

import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code gramian draw --where}: maps of one image or of a folder, written as SVG, PNG or HTML.
 *
 * @param model a model file
 * @param images an image file or a folder
 * @param className the class to explain; null for the predicted one
 * @param out the file to write; its extension selects the format
 */
record WhereFiles(Path model, Path images, @Nullable String className, Path out) {

    /** A page of more images would not open in a browser. */
    private static final int MAX_IMAGES = 500;

    /** @param note receives a sentence for each image that is drawn or cannot be read */
    void write(Consumer<String> note) throws IOException {
        String format = format();
        boolean folder = Files.isDirectory(images);
        if (folder && !format.equals("html")) {
            throw new IllegalArgumentException(
                    images + " is a directory, whose maps are written to one page; use --out FILE.html");
        }
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            Explainer explainer = Explainer.of(predictor)
                    .orElseThrow(() -> new ModelException(model + " has no maps, because "
                            + Explainer.obstacle(predictor).orElseThrow()));
            List<Integer> classes = classes(predictor);
            List<WhereDrawing.Item> items = new ArrayList<>();
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
                Explanation explanation = explainer.explain(image, classes).get(0);
                String name = folder
                        ? images.relativize(file).toString()
                        : file.getFileName().toString();
                items.add(new WhereDrawing.Item(name, explanation));
                note.accept(name + ": " + WhereDrawing.answer(explanation) + ". " + WhereOverlay.legend(explanation));
            }
            if (items.isEmpty()) {
                throw new IllegalArgumentException(images + " has no image that can be read; give photographs");
            }
            write(format, items);
        }
    }

    private void write(String format, List<WhereDrawing.Item> items) throws IOException {
        switch (format) {
            case "png" ->
                AtomicFile.writeBytes(
                        out, ByteBuffer.wrap(WhereOverlay.png(items.get(0).explanation())));
            case "svg" -> AtomicFile.writeText(out, WhereDrawing.svg(items.get(0)));
            default -> AtomicFile.writeText(out, WhereDrawing.page(images.toString(), items));
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
            throw new IllegalArgumentException("the model has no class '" + className + "'; it has "
                    + String.join(", ", predictor.classes().stream().limit(20).toList())
                    + (predictor.classes().size() > 20
                            ? " and " + (predictor.classes().size() - 20) + " more"
                            : ""));
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
}
