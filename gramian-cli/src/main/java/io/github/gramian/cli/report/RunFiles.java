package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.GramianException;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent.Epoch;
import io.github.gramian.run.TrainingEvent.Ridge;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.ReportData;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import io.github.gramian.run.internal.SealedJson;
import io.github.gramian.run.internal.TrainingSuspects;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

/** Reads a run's files within limits. A missing file is ignored; one that cannot be read leaves a note. */
final class RunFiles {

    private static final int MAX_EPOCHS = 5_000;
    private static final int STAGES = 2;
    private static final int MAX_MISTAKES = 24;

    /** More predictions with all their probabilities would take gigabytes of memory. */
    private static final long MAX_BYTES_OF_PREDICTIONS = 256L << 20;

    /** Two maps of about 4 kB each per mistake: enough to see a pattern, and less than 100 kB in the page. */
    private static final int MAX_MAPPED = 8;

    private static final int SIDE_OF_A_MAP = 112;

    private static final Comparator<PredictionsFile.Line> BY_CONFIDENCE =
            Comparator.comparingDouble(PredictionsFile.Line::confidence).thenComparing(PredictionsFile.Line::id);

    private final Path folder;
    private final List<String> notes = new ArrayList<>();
    private final Set<String> damaged = new HashSet<>();

    /** Epochs in order, those on all images after the others, and the ridge fits. */
    record History(List<Epoch> epochs, List<Ridge> fits) {}

    /**
     * The misclassified images.
     *
     * @param mostConfident the mistakes with the highest confidence, the highest first
     * @param wrong how many mistakes there are
     * @param total how many images there are
     */
    record Mistakes(List<PredictionsFile.Line> mostConfident, long wrong, long total) {}

    /** Predictions, and the reference that the model has of its training images. */
    record Certainty(List<Prediction> predictions, ModelCertainty reference) {}

    private interface Parser<T> {
        T parse(JsonNode tree) throws IOException;
    }

    private interface LineReader {
        void read(byte[] line) throws IOException;
    }

    RunFiles(Path folder) {
        this.folder = folder;
    }

    /** Sentences on everything that could not be shown, with reasons. */
    List<String> notes() {
        return List.copyOf(notes);
    }

    String name() {
        Path own = folder.toAbsolutePath().normalize().getFileName();
        return own == null ? "run" : own.toString();
    }

    /** When the scores, or else the last event, were written. */
    Optional<Instant> finished() {
        for (String file : List.of("scores.json", "events.jsonl")) {
            try {
                return Optional.of(
                        Files.getLastModifiedTime(folder.resolve(file)).toInstant());
            } catch (IOException e) {
                // The next file may be there.
            }
        }
        return Optional.empty();
    }

    /** The recipe without the line of its checksum, cut at 1 MiB; empty if there is none. */
    String recipe() {
        Path file = folder.resolve("recipe.yaml");
        if (!Files.isRegularFile(file)) {
            return "";
        }
        try (InputStream in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(1 << 20), StandardCharsets.UTF_8);
            if (in.read() >= 0) {
                notes.add("recipe.yaml is longer than 1 MiB; its beginning is shown.");
            } else if (RecipeFile.isDamaged(text)) {
                noteDamage("recipe.yaml");
                return "";
            }
            return text.replaceFirst("\n#[^\n]*\n?$", "\n").strip();
        } catch (IOException e) {
            notes.add("recipe.yaml cannot be read: " + e.getMessage());
            return "";
        }
    }

    /** An epoch that was run again after a restart counts once, as it was last. */
    History history() {
        TreeMap<Integer, TreeMap<Integer, Epoch>> epochs = new TreeMap<>();
        TreeMap<Integer, Ridge> fits = new TreeMap<>();
        lines(
                "events.jsonl",
                256L << 20,
                line -> EventLog.parse(line).ifPresent(event -> {
                    if (event instanceof Epoch epoch) {
                        epochs.computeIfAbsent(epoch.stage() + (epoch.all() ? STAGES : 0), part -> new TreeMap<>())
                                .put(epoch.epoch(), epoch);
                    } else if (event instanceof Ridge fit) {
                        fits.put(fit.stage(), fit);
                    }
                }));
        return new History(
                epochs.values().stream()
                        .flatMap(stage -> stage.values().stream())
                        .limit(MAX_EPOCHS)
                        .toList(),
                List.copyOf(fits.values()));
    }

    Optional<ScoresFile> scores() {
        Optional<ScoresFile> scores = object("scores.json", 128 << 20, ScoresFile::of);
        scores.map(ScoresFile::predictionsSum).ifPresent(sum -> requireSum("predictions.jsonl", sum));
        return scores;
    }

    Optional<ReportData> reportData() {
        return object("report-data.json", 256 << 20, ReportData::of);
    }

    Optional<TrainingSuspects> suspects() {
        return object("suspects.json", 64 << 20, TrainingSuspects::of);
    }

    Optional<Robustness> robustness() {
        return object("robustness.json", 1 << 20, tree -> {
            Robustness read = Json.value(tree, Robustness.class);
            boolean valid = read.corruptions().stream()
                    .allMatch(cell -> cell.name() != null && cell.accuracy() >= 0 && cell.accuracy() <= 1);
            if (!valid || read.clean() < 0 || read.clean() > 1) {
                throw new IllegalArgumentException("accuracies lie in 0..1");
            }
            return read;
        });
    }

    /** The misclassified images of a file that may contain millions. */
    Mistakes mistakes() {
        PriorityQueue<PredictionsFile.Line> mistakes = new PriorityQueue<>(BY_CONFIDENCE);
        long[] wrongAndTotal = new long[2];
        lines("predictions.jsonl", 1L << 30, bytes -> {
            PredictionsFile.Line line = PredictionsFile.parse(bytes);
            wrongAndTotal[1]++;
            if (line.truth() != line.predicted()) {
                wrongAndTotal[0]++;
                mistakes.add(line.withoutProbabilities());
                if (mistakes.size() > MAX_MISTAKES) {
                    mistakes.remove();
                }
            }
        });
        return new Mistakes(
                mistakes.stream().sorted(BY_CONFIDENCE.reversed()).toList(), wrongAndTotal[0], wrongAndTotal[1]);
    }

    /** Nothing if the predictions cannot be read: other chapters have a note on it. */
    Optional<Certainty> certainty() {
        RunFolder files = new RunFolder(folder);
        try {
            if (!Files.exists(files.predictions()) || Files.size(files.predictions()) > MAX_BYTES_OF_PREDICTIONS) {
                return Optional.empty();
            }
            List<Prediction> predictions = Run.open(folder).predictions();
            return predictions.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Certainty(predictions, reference(files.model())));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private static ModelCertainty reference(Path model) {
        if (!Files.exists(model)) {
            return ModelCertainty.none();
        }
        try (StoredModel stored = StoredModel.open(model)) {
            return stored.reference();
        } catch (IOException | RuntimeException | LinkageError e) { // the last without LibTorch's jars
            return ModelCertainty.none();
        }
    }

    /**
     * Where the model looked in the first misclassified images, for the class that it predicted and for the true one. Nothing
     * if the run has no model, or none that can be explained on this machine: the report does without.
     *
     * @return two pictures by the name of the image
     */
    Map<String, List<String>> maps(Thumbnails thumbnails, Mistakes mistakes) {
        Path model = new RunFolder(folder).model();
        Map<String, List<String>> maps = new HashMap<>();
        if (mistakes.mostConfident().isEmpty() || !Files.isRegularFile(model)) {
            return maps;
        }
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            Optional<Explainer> explainer = Explainer.of(predictor);
            int classes = predictor.classes().size();
            for (PredictionsFile.Line mistake :
                    mistakes.mostConfident().stream().limit(MAX_MAPPED).toList()) {
                Optional<PreparedImage> image = thumbnails
                        .file(mistake.id())
                        .filter(Files::isRegularFile)
                        .map(predictor::prepare)
                        .filter(prepared -> prepared.rejected().isEmpty());
                if (explainer.isPresent()
                        && image.isPresent()
                        && mistake.predicted() < classes
                        && mistake.truth() < classes) {
                    maps.put(
                            mistake.id(),
                            explainer.get().explain(image.get(), List.of(mistake.predicted(), mistake.truth())).stream()
                                    .map(RunFiles::address)
                                    .toList());
                }
            }
        } catch (IOException | GramianException | LinkageError e) {
            maps.clear();
        }
        return maps;
    }

    private static String address(Explanation explanation) {
        return Thumbnails.dataAddress(Thumbnails.reduced(WhereOverlay.paint(explanation), SIDE_OF_A_MAP), "jpeg");
    }

    private void noteDamage(String name) {
        notes.add(name + " is damaged, since its checksum does not match, and is left out.");
    }

    /** The object in a file. */
    private <T> Optional<T> object(String name, int maxBytes, Parser<T> parser) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        JsonNode tree;
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                notes.add(name + " is larger than " + (maxBytes >> 20) + " MiB and is left out.");
                return Optional.empty();
            }
            if (SealedJson.isDamaged(new String(bytes, StandardCharsets.UTF_8))) {
                noteDamage(name);
                return Optional.empty();
            }
            tree = Json.parse(bytes);
            if (!tree.isObject()) {
                throw new IOException("it is not an object");
            }
        } catch (IOException e) {
            notes.add(name + " is not a readable JSON file and is left out.");
            return Optional.empty();
        }
        try {
            return Optional.of(parser.parse(tree));
        } catch (IOException | IllegalArgumentException e) {
            notes.add(name + " does not have the expected content and is left out.");
            return Optional.empty();
        }
    }

    /** Leaves out a file whose checksum differs from the given one. */
    private void requireSum(String name, String sum) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file)) {
            if (!new Checksum().add(channel, 0, channel.size()).hex().equals(sum)) {
                damaged.add(name);
                noteDamage(name);
            }
        } catch (IOException e) {
            notes.add(name + " cannot be read: " + e.getMessage());
        }
    }

    /** Hands over every line. Those that cannot be read, as the last of a killed process, are skipped. */
    private void lines(String name, long maxBytes, LineReader reader) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file) || damaged.contains(name)) {
            return;
        }
        int skipped = 0;
        // Bytes that are not UTF-8 become other characters, which only spoils their own line.
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            if (Files.size(file) > maxBytes) {
                notes.add(name + " is larger than " + (maxBytes >> 20) + " MiB and is left out.");
                return;
            }
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                try {
                    if (!line.isEmpty()) {
                        reader.read(line.getBytes(StandardCharsets.UTF_8));
                    }
                } catch (IOException e) {
                    skipped++;
                }
            }
        } catch (IOException e) {
            notes.add(name + " cannot be read to its end: " + e.getMessage());
        }
        if (skipped > 0) {
            notes.add(Numbers.count(skipped, "line") + " of " + name + " could not be read and "
                    + (skipped == 1 ? "is" : "are") + " left out.");
        }
    }
}
