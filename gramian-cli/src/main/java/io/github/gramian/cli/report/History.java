package io.github.gramian.cli.report;

import io.github.gramian.io.internal.Text;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent.Epoch;
import io.github.gramian.run.TrainingEvent.Ridge;
import io.github.gramian.run.internal.EventLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code events.jsonl}: epochs in order, those on all images after the others, and the ridge fits, cut to what
 * fits on a page. An epoch that was run again after a restart counts once, as it was last.
 */
record History(List<Epoch> epochs, List<Ridge> ridgeFits) {

    private static final int STAGES = 2;
    private static final int MAX_EPOCHS = 5_000;
    private static final int MAX_ROWS = 200;
    private static final int MAX_PARAMETERS = 64;
    private static final int MAX_WARNINGS = 50;
    private static final int MAX_CHARACTERS_OF_A_WARNING = 500;

    static History read(RunFiles files) {
        TreeMap<Integer, TreeMap<Integer, Epoch>> epochs = new TreeMap<>();
        Map<Integer, Ridge> fits = new LinkedHashMap<>();
        files.lines(
                "events.jsonl",
                256L << 20,
                line -> EventLog.parse(line).ifPresent(event -> {
                    if (event instanceof Epoch epoch) {
                        epochs.computeIfAbsent(part(epoch), part -> new TreeMap<>())
                                .put(epoch.epoch(), bounded(epoch));
                    } else if (event instanceof Ridge fit) {
                        fits.put(stage(fit.stage()), bounded(fit));
                    }
                }));
        List<Epoch> inOrder = epochs.values().stream()
                .flatMap(stage -> stage.values().stream())
                .limit(MAX_EPOCHS)
                .toList();
        return new History(inOrder, List.copyOf(fits.values()));
    }

    /** Orders the parts of a training: stages 1 and 2, then both on all images. */
    private static int part(Epoch epoch) {
        return stage(epoch.stage()) + (epoch.all() ? STAGES : 0);
    }

    private static int stage(int stage) {
        return Math.max(1, stage);
    }

    private static Epoch bounded(Epoch epoch) {
        return new Epoch(
                stage(epoch.stage()),
                epoch.all(),
                epoch.epoch(),
                epoch.step(),
                epoch.rate(),
                epoch.trainLoss(),
                epoch.trainAccuracy(),
                epoch.validationLoss(),
                epoch.validationAccuracy(),
                epoch.imagesPerSecond(),
                epoch.seconds(),
                epoch.best(),
                bounded(epoch.health()));
    }

    private static Health bounded(Health health) {
        Map<String, Double> norms = new LinkedHashMap<>();
        health.gradientNorms().forEach((name, norm) -> {
            if (norm != null && Double.isFinite(norm) && norms.size() < MAX_PARAMETERS) {
                norms.put(Text.shortened(name, RunFiles.MAX_CHARACTERS_OF_A_NAME), norm);
            }
        });
        return new Health(
                health.deadChannels(),
                health.sigmaSmallest(),
                health.sigmaLargest(),
                health.kernelSmallestEigenvalue(),
                health.kernelCondition(),
                health.transformedSmallestEigenvalue(),
                health.transformedCondition(),
                health.negativeAfterRelu(),
                health.orthonormality(),
                norms,
                health.warnings().stream()
                        .limit(MAX_WARNINGS)
                        .map(warning -> Text.shortened(warning, MAX_CHARACTERS_OF_A_WARNING))
                        .toList());
    }

    private static Ridge bounded(Ridge fit) {
        return new Ridge(
                stage(fit.stage()),
                fit.lambda(),
                fit.heldOutAccuracy(),
                fit.temperature(),
                fit.table().stream()
                        .limit(MAX_ROWS)
                        .sorted(Comparator.comparingDouble(Ridge.Trial::lambda))
                        .toList(),
                fit.validationAccuracy(),
                fit.kept());
    }

    /** An epoch's name on the page. */
    static String label(Epoch epoch) {
        return stageLabel(epoch) + ", epoch " + epoch.epoch();
    }

    static String stageLabel(Epoch epoch) {
        return "Stage " + epoch.stage() + (epoch.all() ? " on all images" : "");
    }

    /** The value of every epoch, NaN where it is not known. */
    double[] values(Function<Epoch, @Nullable Double> value) {
        return epochs.stream()
                .mapToDouble(epoch -> ShownScores.known(value.apply(epoch)))
                .toArray();
    }

    /** Positions of the epochs whose weights were selected: of each stage the last that was the best so far. */
    List<Integer> bestEpochs() {
        Map<Integer, Integer> lastBest = new TreeMap<>();
        for (int i = 0; i < epochs.size(); i++) {
            if (epochs.get(i).best()) {
                lastBest.put(part(epochs.get(i)), i);
            }
        }
        return List.copyOf(lastBest.values());
    }

    /** Places of the first epoch of every stage but the first. */
    List<Integer> stageStarts() {
        List<Integer> starts = new ArrayList<>();
        for (int i = 1; i < epochs.size(); i++) {
            if (part(epochs.get(i)) != part(epochs.get(i - 1))) {
                starts.add(i);
            }
        }
        return starts;
    }
}
