package io.github.gramian.cli.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.report.MapPicture;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.dense.internal.PhotoReader.PhotoMap;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian map}: the class of each place of a photograph, or where a part has a defect. */
@Command(
        name = "map",
        description = {
            "Maps photographs: which class is where, or where a defect is.",
            "Needs a model that was trained with --map or with --good.",
            "Exits with 1 if a file was not an image that can be read."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian map runs/reef reef.jpg --out reef.html",
            "  gramian map runs/reef reef.jpg --label-map classes.png",
            "  gramian map runs/reef photos/ --format jsonl > areas.jsonl",
            "  gramian map runs/part part.jpg --out part.png --score-map scores.png"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class MapCommand extends PrintingCommand {

    private static final int SOME_REJECTED = 1;

    /** A page of more photographs would not open in a browser. */
    private static final int MAX_ON_PAGE = 200;

    @Mixin
    private ModelArgument model;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "IMAGE", description = ImageArguments.DESCRIPTION)
    private List<String> images = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Map to write: .html, a page with all photographs, or .png, a picture of one photograph.")
    private @Nullable Path out;

    @Option(
            names = "--label-map",
            paramLabel = "FILE.png",
            description =
                    "Classes of one photograph for other programs: 8 bits per pixel, the index of the class in the"
                            + " model's order, 255 for unknown.")
    private @Nullable Path labelMap;

    @Option(
            names = "--score-map",
            paramLabel = "FILE.png",
            description =
                    "Scores of one photograph for other programs: 16 bits per pixel, 1,000 times the score of a model"
                            + " of good parts.")
    private @Nullable Path scoreMap;

    @Option(
            names = "--unknown",
            paramLabel = "LEVEL",
            defaultValue = "0.05",
            description = "P-value below which a place is unknown (default: ${DEFAULT-VALUE}).")
    private double unknown;

    @Option(
            names = "--scale",
            paramLabel = "FACTOR",
            description = "Size of the photograph as the network sees it, relative to the file"
                    + " (default: as the training photographs were seen).")
    private @Nullable Double scale;

    @Option(
            names = "--format",
            defaultValue = "text",
            description = "Output format: text or jsonl (default: ${DEFAULT-VALUE}).")
    private Format format;

    private enum Format {
        TEXT,
        JSONL
    }

    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();
    private final ObjectNode page = Json.object();
    private int mapped;
    private int rejected;

    @Override
    public Integer call() throws IOException {
        if (!(unknown > 0 && unknown < 1)) {
            throw new IllegalArgumentException("--unknown must lie between 0 and 1, such as 0.05, but is " + unknown);
        }
        model.requireFirst("map", images);
        try (BatchPredictor predictor = model.load()) {
            PhotoReader reader = predictor
                    .photographs()
                    .orElseThrow(() -> new ModelException(model.given()
                            + (ends(model.given(), ".onnx")
                                    ? " has no maps: those of classes are not exported; give the model that it was made of"
                                    : " has no maps; train it again with --map, or with --good for defects")));
            check(reader);
            new ImageArguments(images, line -> note("note: " + line)).each(files -> {
                if (isForOne() && mapped + files.size() > 1) {
                    throw new IllegalArgumentException("a .png shows one photograph, and there are more; name one"
                            + " photograph, or write a page with --out FILE.html");
                }
                for (Path file : files) {
                    map(file, predictor, reader);
                }
            });
        }
        if (out != null && isPage() && mapped > 0) {
            AtomicFile.writeText(out, Html.page("Maps of photographs", "map.html", page, "legend"));
        }
        return rejected > 0 ? SOME_REJECTED : 0;
    }

    private void check(PhotoReader reader) {
        if (out != null && !isPage() && !ends(out, ".png")) {
            throw new IllegalArgumentException("--out must end in .html or .png, but is " + out);
        }
        if (labelMap != null && reader.findsDefects()) {
            throw new IllegalArgumentException("--label-map needs a model of classes, and " + model.given()
                    + " knows good parts only; use --score-map");
        }
        if (scoreMap != null && !reader.findsDefects()) {
            throw new IllegalArgumentException(
                    "--score-map needs a model of good parts, and " + model.given() + " has classes; use --label-map");
        }
        if (scale != null && reader.findsDefects()) {
            throw new IllegalArgumentException(
                    "--scale is for models of classes; a model of good parts compares photographs at one size only");
        }
    }

    private boolean isForOne() {
        return labelMap != null || scoreMap != null || (out != null && !isPage());
    }

    private boolean isPage() {
        return out != null && ends(out, ".html");
    }

    private static boolean ends(Path file, String extension) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(extension);
    }

    private void map(Path file, BatchPredictor predictor, PhotoReader reader) throws IOException {
        WholePhoto view = scale == null
                ? reader.view()
                : new WholePhoto(
                        new Resize.Factor(scale),
                        reader.view().interpolation(),
                        reader.view().normalisation());
        WholePhoto.Opened opened = view.open(decoder.open(file));
        Optional<RgbImage> seen = view.resized(opened);
        if (seen.isEmpty()) {
            rejected++;
            String why = opened.rejected().sentence();
            print(
                    file + ": rejected: " + why,
                    Json.members(Map.entry("file", file.toString()), Map.entry("rejected", why)));
            return;
        }
        PhotoMap map = reader.read(seen.get());
        mapped++;
        List<String> labels = predictor.classes();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("file", file.toString());
        line.put("width", opened.width());
        line.put("height", opened.height());
        MapPicture drawing = new MapPicture(opened.picture().orElseThrow(), map, labels.size(), unknown);
        String sentence = sentence(drawing, labels);
        drawing.addTo(line, labels);
        print(file + ": " + sentence, line);
        if (labelMap != null) {
            AtomicFile.writeBytes(labelMap, ByteBuffer.wrap(drawing.labels(opened.width(), opened.height())));
        }
        if (scoreMap != null) {
            AtomicFile.writeBytes(scoreMap, ByteBuffer.wrap(drawing.scores(opened.width(), opened.height())));
        }
        if (out != null && isPage()) {
            add(file, sentence, drawing, labels);
        } else if (out != null) {
            AtomicFile.writeBytes(out, ByteBuffer.wrap(drawing.overlaid()));
        }
    }

    /** The share of each class, the largest first; or the judgement. */
    private static String sentence(MapPicture drawing, List<String> labels) {
        return drawing.map()
                .scores()
                .map(scores -> String.format(
                        Locale.ROOT, "%s (novelty %.4f)", scores.isDefect() ? "defect" : "good", scores.pValue()))
                .orElseGet(() -> drawing.areas(labels).stream()
                        .map(area -> String.format(Locale.ROOT, "%s %.1f %%", area.name(), 100 * area.share()))
                        .collect(Collectors.joining(", ")));
    }

    /** For the template {@code map.html}. */
    private void add(Path file, String sentence, MapPicture drawing, List<String> labels) {
        if (mapped > MAX_ON_PAGE) {
            throw new IllegalArgumentException(
                    "a page has at most " + MAX_ON_PAGE + " photographs; give fewer, or leave out --out");
        }
        ObjectNode item = page.withArrayProperty("items")
                .addObject()
                .put("name", file.getFileName().toString())
                .put("answer", sentence)
                .put("photo", drawing.photograph())
                .put("map", drawing.layer());
        for (MapPicture.Area area : drawing.areas(labels)) {
            item.withArrayProperty("legend")
                    .addObject()
                    .put("name", area.name())
                    .put("colour", area.colour())
                    .put("share", Numbers.percent(area.share()));
        }
        page.put("scores", drawing.map().scores().isPresent());
    }

    private void print(String text, Map<String, Object> line) {
        stdout().println(format == Format.TEXT ? text : Json.text(line));
        stdout().flush();
    }

    private void note(String line) {
        stderr().println(line);
        stderr().flush();
    }
}
