package io.github.gramian.studio.project.internal;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.cli.report.Report;
import io.github.gramian.cli.report.SearchPage;
import io.github.gramian.eval.Scores;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.search.SearchOptions.Preference;
import io.github.gramian.search.internal.Leaderboard;
import io.github.gramian.search.internal.Objective;
import io.github.gramian.search.internal.SearchConfig;
import io.github.gramian.search.internal.SearchEvent;
import io.github.gramian.search.internal.SearchFolder;
import io.github.gramian.search.internal.SearchRun;
import io.github.gramian.search.internal.SearchSpace;
import io.github.gramian.search.internal.SearchStopped;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One training, search or prediction at a time, on a separate thread. */
public final class TrainingJob implements AutoCloseable {

    private final StudioSettings settings;
    private final Photographs photographs;
    private final RunFolders folders;
    private final AtomicBoolean stop = new AtomicBoolean();
    private @Nullable Thread thread;
    private String phase = "none";
    private String line = "";
    private double progress;
    private long since;
    private @Nullable Run run;
    private @Nullable RestPredictions rest;

    TrainingJob(StudioSettings settings, Photographs photographs) {
        this.settings = settings;
        this.photographs = photographs;
        this.folders = new RunFolders(settings.out());
        this.run = folders.latest().orElse(null);
        this.rest = folders.predictions(photographs).orElse(null);
    }

    /** Ends a prediction. */
    private static final class Cancelled extends RuntimeException {
        private static final long serialVersionUID = 1;

        Cancelled() {
            super("stopped", null, false, false);
        }
    }

    /** Something that runs on the thread. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Progress, and what is there to open. */
    public synchronized Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("phase", phase);
        state.put("line", line);
        state.put("progress", progress);
        state.put("seconds", thread == null ? 0 : (System.nanoTime() - since) / 1_000_000_000L);
        state.put("report", run != null);
        state.put("leaderboard", leaderboard().isPresent());
        state.put("predictions", rest != null);
        if (run != null) {
            Scores scores = run.scores();
            state.put("run", run.directory().toString());
            state.put("accuracy", scores.accuracy());
            state.put("lower", scores.interval().lower());
            state.put("upper", scores.interval().upper());
            state.put("images", scores.images());
        }
        if (rest != null) {
            state.putAll(rest.summary(photographs));
        }
        return state;
    }

    /** The latest predictions. */
    public synchronized List<Map<String, Object>> predicted() {
        return rest == null ? List.of() : rest.list();
    }

    /** The report of the latest training. */
    public synchronized Optional<Path> report() {
        return Optional.ofNullable(run).map(one -> one.directory().resolve("report.html"));
    }

    /** The page about the latest search. */
    public synchronized Optional<Path> leaderboard() {
        return Optional.ofNullable(run)
                .map(one -> one.directory().resolve("leaderboard.html"))
                .filter(Files::isRegularFile);
    }

    /** The same as a CSV file. */
    public synchronized Optional<Path> predictions() {
        return Optional.ofNullable(rest).map(RestPredictions::csv);
    }

    /**
     * Trains on the labels of now.
     *
     * @param minutes of a search for the best settings before it; 0 to train with the settings of the command
     */
    public void start(int minutes) {
        if (minutes > 0) {
            begin("searching", () -> search(new SearchConfig.Limit.Minutes(minutes)));
        } else {
            begin("training", this::train);
        }
    }

    void predict(List<Integer> open, boolean copies) {
        Path trained;
        synchronized (this) {
            if (run == null) {
                throw new IllegalArgumentException("train a model first");
            }
            trained = run.directory();
        }
        if (open.isEmpty()) {
            throw new IllegalArgumentException("all photographs have a label");
        }
        begin("predicting", () -> {
            RestPredictions written =
                    RestPredictions.write(trained, photographs, open, at -> show(at, open.size(), "photographs"));
            synchronized (this) {
                rest = written;
            }
            if (copies) {
                written.copy(photographs, at -> show(at, open.size(), "copies"));
            }
        });
    }

    private void show(int at, int all, String what) {
        if (stop.get()) {
            throw new Cancelled();
        }
        show(part(at, all), at + " of " + all + " " + what);
    }

    synchronized void begin(String what, Work work) {
        if (thread != null && thread.isAlive()) {
            throw new IllegalArgumentException("a training or prediction is under way; stop it or wait for it");
        }
        stop.set(false);
        Thread started = new Thread(() -> run(work), "studio-" + what);
        started.setDaemon(true);
        started.start(); // its first news wait for this method's end
        thread = started;
        phase = what;
        line = "starting";
        progress = 0;
        since = System.nanoTime();
    }

    private void run(Work work) {
        try {
            work.run();
            end("done", "");
        } catch (TrainingStopped | SearchStopped | Cancelled stopped) {
            end("stopped", "stopped");
        } catch (Throwable failure) { // an Error, too, must not leave the page waiting
            end("failed", Failure.of(failure).line());
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
        Path directory = folders.free();
        TrainingOptions options =
                TrainingOptions.defaults(settings.cache().resolve("features")).stoppedBy(stop::get);
        finished(Training.of(settings.complete())
                .with(options)
                .onEvent(this::show)
                .into(directory));
    }

    private void search(SearchConfig.Limit limit) throws IOException {
        Path directory = folders.free();
        SearchSpace space = Objective.ACCURACY.space();
        SearchConfig config = new SearchConfig(
                space,
                settings.overrides(),
                limit,
                Objective.ACCURACY,
                Preference.BALANCED,
                directory,
                settings.cache().resolve("features"));
        SearchRun.Outcome found =
                SearchRun.run(config, new SearchConfig.Watcher(stop::get, event -> show(event, limit), this::show));
        new SearchPage(new SearchFolder(directory), space.title(), Objective.ACCURACY)
                .write(found.board(), found.chosen(), found.seconds());
        finished(Objects.requireNonNull(found.run(), "a search ends with a training"));
    }

    private void finished(Run trained) throws IOException {
        show(1, "writing the report");
        Report.write(trained.directory());
        synchronized (this) {
            run = trained;
        }
    }

    private void show(SearchEvent event, SearchConfig.Limit limit) {
        if (event instanceof SearchEvent.Scored scored && limit instanceof SearchConfig.Limit.Minutes time) {
            List<Leaderboard.Row> rows = scored.board().rows();
            show(
                    Math.min(1, scored.seconds() / (60 * time.minutes())),
                    rows.size() + (rows.size() == 1 ? " setting" : " settings") + " compared, the best recognises "
                            + Text.format(
                                    "%.1f %%", 100 * rows.get(0).accuracy().mean()));
        }
    }

    private void show(TrainingEvent event) {
        if (event instanceof TrainingEvent.Features features) {
            show(part((double) features.done(), (double) features.total()), "computing features");
        } else if (event instanceof TrainingEvent.Step step) {
            show(
                    part(step.epoch() - 1L + step.batch() / (double) step.batches(), step.epochs()),
                    (step.all() ? "final training" : "stage " + step.stage()) + ", epoch " + step.epoch() + " of "
                            + step.epochs());
        }
    }

    private static double part(double done, double all) {
        return all > 0 ? done / all : 0;
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

    /**
     * The runs of a studio: run-1, run-2, … in one directory.
     *
     * @param out the directory, which need not exist
     */
    record RunFolders(Path out) {

        /** The one after the last that exists. */
        Path free() {
            return folder(last() + 1);
        }

        /** The latest run that is complete. */
        Optional<Run> latest() {
            return latest(folder -> Files.isRegularFile(folder.resolve("model.gramian"))
                            && Files.isRegularFile(folder.resolve("report.html"))
                    ? Run.open(folder)
                    : null);
        }

        /** The latest predictions of any run. */
        Optional<RestPredictions> predictions(Photographs photographs) {
            return latest(folder -> {
                Path csv = RestPredictions.csv(folder);
                return Files.isRegularFile(csv) ? RestPredictions.read(csv, photographs) : null;
            });
        }

        /** What is in a run, or null. */
        @FunctionalInterface
        private interface Content<T> {
            @Nullable
            T in(Path folder) throws IOException;
        }

        private <T> Optional<T> latest(Content<T> content) {
            for (int number = last(); number > 0; number--) {
                try {
                    T found = content.in(folder(number));
                    if (found != null) {
                        return Optional.of(found);
                    }
                } catch (IOException | RuntimeException e) {
                    // Written by another version, or damaged: the one before may serve.
                }
            }
            return Optional.empty();
        }

        /** The largest number of a run, which a deleted run before it does not change; 0 if there is none. */
        private int last() {
            String[] names = Objects.requireNonNullElse(out.toFile().list(), new String[0]);
            return Stream.of(names)
                    .filter(name -> name.matches("run-[1-9]\\d{0,8}"))
                    .mapToInt(name -> Integer.parseInt(name.substring("run-".length())))
                    .max()
                    .orElse(0);
        }

        private Path folder(int number) {
            return out.resolve("run-" + number);
        }
    }
}
