package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.SimilarOrder;
import io.github.gramian.cli.report.GalleryPage.Card;
import io.github.gramian.eval.Calibration;
import io.github.gramian.eval.ConfusionMatrix;
import io.github.gramian.eval.Scores;
import io.github.gramian.eval.internal.RiskCoverage;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.eval.internal.SetCoverage;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.TrainingEvent.Epoch;
import io.github.gramian.run.TrainingEvent.Ridge;
import io.github.gramian.run.internal.CalledUnknown;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.ReportData;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import io.github.gramian.run.internal.TrainingSuspects;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One page about a run, {@code report.html} in its folder. This class reads the run and selects what is shown. The template
 * {@code report.html} has the headings and tables, and the page's script draws the charts from the same data.
 */
public final class Report {

    private static final int MAX_ROWS = 500;
    private static final int MAX_GRADIENTS = 24;
    private static final int MAX_WARNINGS = 100;
    private static final int MAX_CLASSES = 2_000;
    private static final int MAX_CHARACTERS_OF_A_NAME = 200;
    private static final int MAX_CLASSES_DRAWN = 400;
    private static final int MAX_CLASSES_OF_A_TABLE = 24;
    private static final int MAX_CELLS = 20_000;
    private static final int MAX_PAIRS = 12;
    private static final int MAX_SUSPECTS = 24;
    private static final int MAX_POINTS = 5_000;
    private static final int MAX_MATRICES = 24;
    private static final int MAX_SIDE = 128;
    private static final int MAX_EIGENVALUES = 4_096;

    /** Chapters about classes: a single class has nothing to confuse it with. */
    private static final List<String> OF_SEVERAL_CLASSES =
            List.of("curves", "ridge", "confusion", "classes", "reliability", "robustness", "mistakes", "labels");

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private final RunFiles files;
    private final Optional<ScoresFile> scores;
    private final List<String> names;
    private final Thumbnails thumbnails;

    /** What the template and the script show; a member for each chapter that the run has. */
    private final ObjectNode page = Json.object();

    private Report(Path folder) {
        files = new RunFiles(folder);
        scores = files.scores();
        names = scores.map(file -> file.scores().confusion().classes()).orElse(List.of()).stream()
                .limit(MAX_CLASSES)
                .map(name -> Text.shortened(name, MAX_CHARACTERS_OF_A_NAME))
                .toList();
        thumbnails = new Thumbnails(scores.map(ScoresFile::root).orElse(""));
    }

    /**
     * Reads what there is in a run's folder and writes the report next to it.
     *
     * @return the path of the report
     * @throws IOException if the report cannot be written; files of the run that are missing or broken are not an error
     */
    public static Path write(Path runFolder) throws IOException {
        Path report = new RunFolder(runFolder).report();
        AtomicFile.writeText(report, new Report(runFolder).html());
        return report;
    }

    private String html() {
        put("names", names);
        training(files.history());
        scores.ifPresent(file -> {
            confusion(file.scores().confusion());
            chapter("classes")
                    .set(
                            "table",
                            Json.treeOf(file.scores().perClass().stream()
                                    .limit(MAX_CLASSES)
                                    .toList()));
            reliability(file.scores().calibration());
            protocol(file);
        });
        files.certainty().ifPresent(this::certainty);
        files.robustness().ifPresent(this::robustness);
        mistakes(files.mistakes());
        files.suspects().ifPresent(this::suspects);
        files.reportData().ifPresent(data -> {
            map(data.map());
            matrices(data.matrices().stream().limit(MAX_MATRICES).toList());
        });
        String recipe = files.recipe();
        if (!recipe.isBlank()) {
            chapter("recipe").set("lines", Json.treeOf(recipe.lines().toList()));
        }
        if (names.size() == 1) {
            page.remove(OF_SEVERAL_CLASSES).remove(List.of("scores", "tiles"));
        }
        head();
        return Html.page(
                files.name(),
                "report.html",
                page,
                "names",
                "epochs",
                "health",
                "ridge",
                "confusion",
                "reliability",
                "certainty",
                "robustness",
                "map",
                "spectra");
    }

    private void put(String member, Object value) {
        page.set(member, Json.treeOf(value));
    }

    private static ObjectNode tree(Object members) {
        return (ObjectNode) Json.treeOf(members);
    }

    private ObjectNode chapter(String id) {
        return page.withObjectProperty(id);
    }

    /** The name of a class; a number where the scores have no name for it. */
    private String className(int index) {
        return index < names.size() ? names.get(index) : "class " + index;
    }

    /** How good, on what, with what, when. */
    private void head() {
        List<String> what = new ArrayList<>();
        scores.map(ScoresFile::protocol)
                .ifPresent(protocol -> Stream.of(protocol.dataset(), protocol.backbone(), protocol.protocol())
                        .filter(value -> value != null && !value.isBlank())
                        .forEach(what::add));
        if (!names.isEmpty()) {
            what.add(Math.min(1, what.size()), Text.count(names.size(), "class"));
        }
        files.finished().ifPresent(when -> what.add(DATE.format(when)));
        put("what", String.join(" · ", what));
        put("sentences", scores.map(Report::endOfTraining).map(Report::rows).orElse(List.of()));
        if (!files.notes().isEmpty()) {
            put("notes", Map.of("list", files.notes()));
        }
    }

    private static List<Map<String, String>> rows(Map<String, String> values) {
        return values.entrySet().stream()
                .map(one -> Map.of("name", one.getKey(), "value", one.getValue()))
                .toList();
    }

    /** How the training ended, in sentences. */
    private static Map<String, String> endOfTraining(ScoresFile file) {
        Map<String, String> sentences = new LinkedHashMap<>();
        sentences.put("Classifier", file.classifier());
        sentences.put("Class weights", file.classWeights());
        sentences.put("Fine-tuning", file.fineTuning());
        sentences.put("Final retraining", file.lastTraining());
        sentences.values().removeIf(String::isBlank);
        return sentences;
    }

    /** The figures of the first screen, the epochs and the ridge classifiers. */
    private void training(RunFiles.History history) {
        Stream<Double> accuracies = Stream.concat(
                history.epochs().stream().map(Epoch::validationAccuracy),
                history.fits().stream().map(Ridge::validationAccuracy));
        Optional<Double> validation =
                accuracies.filter(one -> one != null && Double.isFinite(one)).max(Comparator.naturalOrder());
        ObjectNode tiles = chapter("tiles");
        scores.ifPresentOrElse(
                file -> scores(file, validation, tiles),
                () -> validation.ifPresentOrElse(
                        best -> page.put("validationSoFar", best), () -> page.put("nothing", true)));
        if (!history.epochs().isEmpty()) {
            tiles.put("epochCount", history.epochs().size());
            epochs(history.epochs());
            health(history.epochs());
        }
        for (Ridge fit : history.fits()) {
            ArrayNode fits = chapter("ridge").withArrayProperty("fits");
            ObjectNode shown = fits.addObject();
            shown.setAll(tree(fit));
            shown.put("stage", Math.max(1, fit.stage()));
            shown.set(
                    "table",
                    Json.treeOf(fit.table().stream()
                            .limit(MAX_ROWS)
                            .sorted(Comparator.comparingDouble(Ridge.Trial::lambda))
                            .toList()));
            if (!fit.table().isEmpty()) {
                shown.withObjectProperty("drawn").put("at", fits.size() - 1);
            }
        }
    }

    private void scores(ScoresFile file, Optional<Double> validation, ObjectNode tiles) {
        Scores measured = file.scores();
        String split = file.split().isBlank() ? "test" : file.split();
        put("images", measured.images() > 0 ? Numbers.count(measured.images(), split + " image") : split + " images");
        ObjectNode shown = tree(measured.interval());
        shown.put("accuracy", measured.accuracy())
                .put(
                        "width",
                        Math.max(
                                0.006,
                                measured.interval().upper()
                                        - measured.interval().lower()));
        if (measured.classesDiffer()) {
            shown.put("meanClassAccuracy", measured.meanClassAccuracy());
        }
        page.set("scores", shown);
        tiles.put("top5", measured.top5());
        tiles.put("macroF1", measured.macroF1());
        Double stored = file.validationAccuracy();
        tiles.put("validation", stored == null ? validation.orElse(null) : stored);
        tiles.put("error", measured.calibration().expectedError());
        double sum = file.seconds().values().stream().mapToDouble(one -> one).sum();
        double seconds = file.seconds().getOrDefault("total", sum);
        tiles.put("seconds", seconds > 0 ? (Double) seconds : null);
    }

    private void epochs(List<Epoch> epochs) {
        List<ObjectNode> shown = new ArrayList<>();
        for (Epoch epoch : epochs) {
            ObjectNode one = tree(epoch);
            ((ObjectNode) one.path("health")).remove(List.of("gradientNorms", "warnings"));
            shown.add(one.put("stage", Math.max(1, epoch.stage())));
        }
        put("epochs", shown);
        int stride = 1 + (shown.size() - 1) / MAX_ROWS;
        put(
                "curves",
                Map.of(
                        "table",
                        IntStream.iterate(0, i -> i < shown.size(), i -> i + stride)
                                .mapToObj(shown::get)
                                .toList()));
    }

    private void health(List<Epoch> epochs) {
        Set<String> parameters = new LinkedHashSet<>();
        epochs.forEach(epoch -> parameters.addAll(epoch.health().gradientNorms().keySet()));
        ArrayNode gradients = chapter("health").withArrayProperty("gradients");
        parameters.stream().limit(MAX_GRADIENTS).forEach(name -> {
            List<Double> norms = epochs.stream()
                    .map(epoch -> epoch.health().gradientNorms().getOrDefault(name, Double.NaN))
                    .toList();
            gradients.add(Json.treeOf(Map.of("name", name, "norms", norms)));
        });
        List<Map<String, String>> warnings = epochs.stream()
                .flatMap(epoch -> epoch.health().warnings().stream()
                        .map(warning -> Map.of(
                                "epoch",
                                "Stage " + Math.max(1, epoch.stage()) + (epoch.all() ? " on all images" : "")
                                        + ", epoch " + epoch.epoch(),
                                "warning",
                                warning)))
                .toList();
        if (!warnings.isEmpty()) {
            List<?> list = warnings.stream().limit(MAX_WARNINGS).toList();
            chapter("health").set("warned", Json.treeOf(Map.of("total", warnings.size(), "list", list)));
        }
    }

    /** The cells that are not zero; if there are too many, those with the most images. */
    private void confusion(ConfusionMatrix matrix) {
        int size = matrix.classes().size();
        if (size == 0 || size > MAX_CLASSES) {
            return;
        }
        int[][] counts = matrix.counts();
        int[] support = IntStream.range(0, size).map(matrix::support).toArray();
        List<int[]> cells = IntStream.range(0, size)
                .boxed()
                .flatMap(truth -> IntStream.range(0, size)
                        .filter(predicted -> counts[truth][predicted] > 0)
                        .mapToObj(predicted -> new int[] {truth, predicted, counts[truth][predicted]}))
                .sorted(Comparator.comparingInt((int[] cell) -> -cell[2])
                        .thenComparingDouble(cell -> (double) -cell[2] / support[cell[0]]))
                .limit(MAX_CELLS)
                .toList();
        ObjectNode shown = chapter("confusion");
        if (size <= MAX_CLASSES_DRAWN) {
            shown.set("cells", Json.treeOf(cells));
            shown.set("support", Json.treeOf(support));
        } else {
            shown.put("tooLarge", size);
        }
        ArrayNode pairs = shown.withArrayProperty("pairs");
        cells.stream()
                .filter(cell -> cell[0] != cell[1])
                .limit(MAX_PAIRS)
                .forEach(cell -> pairs.addObject()
                        .put("truth", className(cell[0]))
                        .put("predicted", className(cell[1]))
                        .put("count", cell[2])
                        .put("support", support[cell[0]])
                        .put("share", (double) cell[2] / support[cell[0]]));
        if (size <= MAX_CLASSES_OF_A_TABLE) {
            ArrayNode rows = shown.withObjectProperty("small").withArrayProperty("rows");
            for (int truth = 0; truth < size; truth++) {
                rows.addObject().put("name", className(truth)).set("counts", Json.treeOf(counts[truth]));
            }
        }
    }

    private void reliability(Calibration calibration) {
        List<Calibration.Bin> bins = calibration.bins().stream()
                .filter(bin -> bin.lower() >= 0 && bin.upper() > bin.lower() && bin.upper() <= 1.0001)
                .limit(MAX_ROWS)
                .toList();
        if (!bins.isEmpty()) {
            chapter("reliability")
                    .put("expectedError", calibration.expectedError())
                    .set("bins", Json.treeOf(bins));
            List<?> filled = bins.stream().filter(bin -> bin.count() > 0).toList();
            chapter("reliability").set("table", Json.treeOf(filled));
        }
    }

    /** What can be done with uncertain predictions: answer only confident ones, answer with sets of classes, or reject images. */
    private void certainty(RunFiles.Certainty read) {
        Optional<CalledUnknown> unknown =
                CalledUnknown.of(read.predictions(), read.reference().novelty());
        if (names.size() > 1) {
            chapter("certainty").set("confident", Json.treeOf(RiskCoverage.of(read.predictions())));
            read.reference()
                    .sets()
                    .ifPresent(calibration -> chapter("certainty")
                            .set(
                                    "sets",
                                    Json.treeOf(SetCoverage.of(read.predictions(), calibration, SetCoverage.LEVELS))));
        }
        List<JsonNode> alarms = new ArrayList<>();
        unknown.ifPresent(counts -> {
            ObjectNode shown = chapter("certainty").putObject("unknown").put("total", counts.images());
            for (CalledUnknown.Level one : counts.levels()) {
                ObjectNode level = tree(one);
                level.put("share", (double) one.unknown() / counts.images()).put("missing", one.needed() > 0);
                shown.withArrayProperty("levels").add(level);
                if (one.needed() == 0) {
                    alarms.add(level);
                }
            }
        });
        if (names.size() == 1) {
            put("falseAlarms", alarms);
            page.put("tooFewImages", alarms.isEmpty());
        }
    }

    private void robustness(Robustness measured) {
        ObjectNode shown = chapter("robustness");
        shown.setAll(tree(measured));
        shown.put("mean", measured.mean()).put("cells", measured.corruptions().size());
        shown.path("corruptions")
                .forEach(cell -> ((ObjectNode) cell)
                        .put("name", cell.path("name").asText().replace('_', ' ')));
    }

    /** The most confident mistakes: often mislabelled images. */
    private void mistakes(RunFiles.Mistakes mistakes) {
        if (mistakes.total() == 0) {
            return;
        }
        ObjectNode shown = chapter("mistakes").put("total", mistakes.total());
        if (mistakes.wrong() == 0) {
            return;
        }
        shown.put("wrong", mistakes.wrong())
                .put("shown", mistakes.mostConfident().size());
        Map<String, List<String>> maps = files.maps(thumbnails, mistakes);
        shown.put("mapped", !maps.isEmpty());
        for (PredictionsFile.Line mistake : mistakes.mostConfident()) {
            List<String> labels = List.of(className(mistake.predicted()), className(mistake.truth()));
            ObjectNode card = new Card(
                            mistake.id(), labels.get(0), "is " + labels.get(1), Numbers.percent(mistake.confidence()))
                    .data(thumbnails);
            List<String> addresses = maps.getOrDefault(mistake.id(), List.of());
            for (int i = 0; i < addresses.size(); i++) {
                ObjectNode map = card.withObjectProperty("looked")
                        .withArrayProperty("maps")
                        .addObject();
                map.put("address", addresses.get(i)).put("label", labels.get(i));
            }
            shown.withArrayProperty("cards").add(card);
        }
    }

    /** Training images whose labels are probably wrong. */
    private void suspects(TrainingSuspects found) {
        ObjectNode shown = chapter("labels").put("total", found.images());
        if (!found.suspects().isEmpty()) {
            shown.put("wrong", found.suspects().size())
                    .put("shown", Math.min(MAX_SUSPECTS, found.suspects().size()));
        }
        found.suspects().stream()
                .limit(MAX_SUSPECTS)
                .forEach(one -> shown.withArrayProperty("cards")
                        .add(new Card(
                                        one.file(),
                                        one.suggested() + "?",
                                        "is labelled " + one.given(),
                                        Text.format("%.2f", one.score()))
                                .data(thumbnails)));
    }

    /** The descriptors of the test images in the plane, an even sample if there are very many. */
    private void map(ReportData.DescriptorMap map) {
        List<ReportData.Point> all = map.points();
        double step = Math.max(1, all.size() / (double) MAX_POINTS);
        List<List<Object>> points = IntStream.range(0, Math.min(all.size(), MAX_POINTS))
                .mapToObj(i -> all.get((int) (i * step)))
                .filter(point -> Float.isFinite(point.x()) && Float.isFinite(point.y()) && point.truth() >= 0)
                .map(point -> List.<Object>of(point.truth(), point.predicted(), point.x(), point.y(), point.id()))
                .toList();
        if (points.isEmpty()) {
            return;
        }
        ObjectNode shown = chapter("map");
        shown.set("points", Json.treeOf(points));
        shown.put("method", map.method().isBlank() ? "Projection" : map.method());
        if (map.explained().size() == 2) {
            shown.put(
                    "explained",
                    (double) map.explained().get(0) + map.explained().get(1));
        }
        if (points.size() < all.size()) {
            shown.put("drawn", points.size()).put("total", all.size());
        }
    }

    /** K and Y of a few images with their eigenvalues. */
    private void matrices(List<ReportData.Matrix> all) {
        ArrayNode spectra = page.withArrayProperty("spectra");
        Map<List<String>, ObjectNode> images = new LinkedHashMap<>();
        for (ReportData.Matrix matrix : all) {
            ObjectNode image = images.computeIfAbsent(
                    List.of(matrix.truth(), matrix.branch(), matrix.image()), first -> image(matrix));
            image.withArrayProperty("shown").add(matrix(matrix, spectra.size()));
            List<Float> spectrum =
                    matrix.spectrum().stream().limit(MAX_EIGENVALUES).toList();
            spectra.add(Json.treeOf(Map.of("name", matrix.name(), "spectrum", spectrum)));
        }
        images.values()
                .forEach(
                        image -> chapter("matrices").withArrayProperty("images").add(image));
    }

    private ObjectNode image(ReportData.Matrix matrix) {
        ObjectNode image = tree(Map.of("truth", matrix.truth(), "branch", matrix.branch(), "image", matrix.image()));
        return image.put("picture", thumbnails.of(matrix.image()).orElse(""));
    }

    private static ObjectNode matrix(ReportData.Matrix matrix, int place) {
        // The rows of K are feature maps: their order has no meaning, so they may be reordered for display.
        boolean channels = matrix.name().equals("K");
        double[][] values = matrix.values().stream()
                .limit(MAX_SIDE)
                .map(row ->
                        row.stream().limit(MAX_SIDE).mapToDouble(value -> value).toArray())
                .toArray(double[][]::new);
        HeatMap heatMap = new HeatMap(channels ? SimilarOrder.applied(values) : values);
        String part = values.length < matrix.size() ? "the first " + values.length + " channels, " : "";
        return tree(Map.of("name", matrix.name(), "low", heatMap.low(), "high", heatMap.high()))
                .put("size", matrix.size())
                .put("address", heatMap.address())
                .put("style", heatMap.scaleStyle())
                .put("order", channels ? part + "ordered by similarity, not as in the network" : "")
                .put("at", place);
    }

    /** The conditions under which the scores were measured. */
    private void protocol(ScoresFile file) {
        ObjectNode shown = chapter("protocol");
        shown.setAll(tree(file.protocol()));
        shown.put("protocolName", file.protocol().protocol());
        shown.put(
                "counts",
                file.protocol().counts().entrySet().stream()
                        .map(part -> part.getKey() + " " + part.getValue())
                        .collect(Collectors.joining(", ")));
        file.seconds()
                .forEach((step, seconds) -> shown.withArrayProperty("times")
                        .addObject()
                        .put("step", step)
                        .put("seconds", seconds));
    }
}
