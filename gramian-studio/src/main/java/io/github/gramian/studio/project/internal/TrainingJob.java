package io.github.gramian.studio.project.internal;

import io.github.gramian.cli.report.Report;
import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.Predictor;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One training or prediction at a time, on a separate thread. */
public final class TrainingJob implements AutoCloseable {

    private static final String HEADER = "path,label,probability\n";

    private final StudioSettings settings;
    private final AtomicBoolean stop = new AtomicBoolean();
    private @Nullable Thread thread;
    private String phase = "none";
    private String line = "";
    private double progress;
    private @Nullable Path run;
    private @Nullable Path report;
    private @Nullable Path predictions;
    private double accuracy = Double.NaN;

    TrainingJob(StudioSettings settings) {
        this.settings = settings;
    }

    /** Something that runs on the thread. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /** Progress, and what is there to open. */
    public synchronized Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("phase", phase);
        state.put("line", line);
        state.put("progress", progress);
        state.put("report", report != null);
        state.put("predictions", predictions != null);
        if (!Double.isNaN(accuracy)) {
            state.put("accuracy", accuracy);
        }
        return state;
    }

    /** The report of the latest training. */
    public synchronized Optional<Path> report() {
        return Optional.ofNullable(report);
    }

    /** The latest predictions. */
    public synchronized Optional<Path> predictions() {
        return Optional.ofNullable(predictions);
    }

    void start() {
        begin("training", this::train);
    }

    void predict(Photographs photographs, List<Integer> open, boolean folders) {
        Path trained;
        synchronized (this) {
            if (run == null) {
                throw new IllegalArgumentException("train a model first");
            }
            trained = run;
        }
        begin("predicting", () -> predict(trained, photographs, open, folders));
    }

    private synchronized void begin(String what, Work work) {
        if (thread != null && thread.isAlive()) {
            throw new IllegalArgumentException("a training or prediction is under way; stop it or wait for it");
        }
        stop.set(false);
        phase = what;
        line = "starting";
        progress = 0;
        Thread started = new Thread(() -> run(work), "studio-" + what);
        started.setDaemon(true);
        thread = started;
        started.start();
    }

    private void run(Work work) {
        try {
            work.run();
            end("done", "");
        } catch (TrainingStopped stopped) {
            end("stopped", "stopped");
        } catch (IOException | RuntimeException | LinkageError failure) {
            end("failed", String.valueOf(failure.getMessage()));
        }
    }

    private synchronized void end(String how, String why) {
        phase = how;
        line = why;
        progress = 1;
    }

    private synchronized void show(double part, String text) {
        progress = part;
        line = text;
    }

    private void train() throws IOException {
        Path directory = free();
        TrainingOptions options =
                TrainingOptions.defaults(settings.cache().resolve("features")).stoppedBy(stop::get);
        Run trained = Training.of(settings.complete())
                .with(options)
                .onEvent(this::show)
                .into(directory);
        show(1, "writing the report");
        Path page = Report.write(directory);
        synchronized (this) {
            run = directory;
            report = page;
            predictions = null;
            accuracy = trained.scores().accuracy();
        }
    }

    /** The first of run-1, run-2, … that does not exist. */
    private Path free() {
        int number = 1;
        while (Files.exists(settings.out().resolve("run-" + number))) {
            number++;
        }
        return settings.out().resolve("run-" + number);
    }

    private void show(TrainingEvent event) {
        if (event instanceof TrainingEvent.Features features) {
            show(part((double) features.done(), (double) features.total()), "computing features");
        } else if (event instanceof TrainingEvent.Step step) {
            show(
                    part(step.epoch() - 1L + step.batch() / (double) step.batches(), step.epochs()),
                    "stage " + step.stage() + ", epoch " + step.epoch() + " of " + step.epochs());
        }
    }

    private static double part(double done, double all) {
        return all > 0 ? done / all : 0;
    }

    private void predict(Path trained, Photographs photographs, List<Integer> open, boolean folders)
            throws IOException {
        StringBuilder csv = new StringBuilder(HEADER);
        Path target = trained.resolve("predictions-of-unlabelled.csv");
        Path copies = trained.resolve("predicted");
        List<Path> files = open.stream().map(photographs::file).toList();
        try (Predictor predictor = Predictor.load(trained.resolve("model.gramian"));
                Stream<Prediction> found = predictor.predictAll(files.stream(), BatchOptions.defaults())) {
            int at = 0;
            for (Prediction prediction : (Iterable<Prediction>) found::iterator) {
                if (stop.get()) {
                    throw new IllegalArgumentException("stopped");
                }
                int image = open.get(at++);
                if (prediction.rejection().isEmpty()) {
                    csv.append(line(photographs.path(image), prediction));
                    if (folders) {
                        copy(photographs, image, copies.resolve(folder(prediction.label())));
                    }
                }
                show(part(at, open.size()), "predicting " + at + " of " + open.size());
            }
        }
        AtomicFile.writeText(target, csv.toString());
        synchronized (this) {
            predictions = target;
        }
    }

    private static String line(String path, Prediction prediction) {
        String plain = "=+-@".indexOf(path.charAt(0)) >= 0 ? "./" + path : path;
        return String.format(
                Locale.ROOT, "%s,%s,%.4f%n", quoted(plain), quoted(prediction.label()), prediction.confidence());
    }

    private static String quoted(String field) {
        return '"' + field.replace("\"", "\"\"") + '"';
    }

    /** A class's name as the name of a directory. */
    private static String folder(String label) {
        String plain = label.replaceAll("[^\\p{L}\\p{N} ._-]", "_").strip();
        return plain.isEmpty() || plain.startsWith(".") ? "_" + plain : plain;
    }

    /** With its path in its name: two directories may have files of the same name. */
    private static void copy(Photographs photographs, int image, Path directory) throws IOException {
        AtomicFile.makeFolder(directory);
        Path target = directory.resolve(photographs.path(image).replace('/', '_'));
        if (!Files.exists(target)) {
            Files.copy(photographs.file(image), target);
        }
    }

    /** Asks the work to stop. */
    public void stop() {
        stop.set(true);
    }

    /** Stops, and waits until the latest checkpoint is saved. */
    @Override
    public void close() {
        stop();
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null) {
            try {
                running.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
