package io.github.gramian.search.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.RunLock;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.internal.RecipeBackbone;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds a recipe for a dataset, by folds inside its training and validation images, and trains it. The folder that it leaves
 * is an ordinary run; what the search has found is in its folder {@code search} and in {@code leaderboard.*}. Given the same
 * folder again, it goes on where it was stopped.
 */
public final class SearchRun {

    private final SearchConfig config;
    private final SearchConfig.Watcher watcher;
    private final LongSupplier nanos;
    private final SearchFolder folder;
    private final RunFolder run;
    private final long started;

    SearchRun(SearchConfig config, SearchConfig.Watcher watcher, LongSupplier nanos) {
        this.config = config;
        this.watcher = watcher;
        this.nanos = nanos;
        this.started = nanos.getAsLong();
        this.folder = new SearchFolder(config.folder());
        this.run = new RunFolder(config.folder());
    }

    /**
     * The outcome.
     *
     * @param board all candidates that were scored
     * @param chosen one of them
     * @param seconds that the search took, without the training
     * @param run what the training left; null where it was there already
     */
    public record Outcome(
            Leaderboard board,
            Leaderboard.Row chosen,
            double seconds,
            @Nullable Run run) {}

    /**
     * Searches and trains.
     *
     * @throws SearchStopped if it was cancelled during the search
     * @throws io.github.gramian.train.TrainingStopped if it was cancelled during the training
     */
    public static Outcome run(SearchConfig config, SearchConfig.Watcher watcher) throws IOException {
        return new SearchRun(config, watcher, System::nanoTime).run();
    }

    Outcome run() throws IOException {
        List<Candidate> candidates = config.space().candidates(config.settings());
        if (Files.exists(run.recipe()) && !Files.exists(folder.journal())) {
            throw new IllegalArgumentException(
                    config.folder() + " contains a run that was not started by a search; choose another --out");
        }
        Outcome found;
        boolean made = !Files.exists(config.folder());
        try (RunLock lock = RunLock.take(new RunFolder(folder.details()))) {
            found = search(candidates);
        } finally {
            if (made) {
                folder.removeIfEmpty();
            }
        }
        if (Files.exists(run.scores())) {
            return found;
        }
        TrainingOptions options = TrainingOptions.defaults(config.cache())
                .stoppedBy(watcher.stop())
                .withListener(watcher.training());
        Recipe recipe = found.chosen().candidate().recipe();
        return new Outcome(
                found.board(),
                found.chosen(),
                found.seconds(),
                Training.of(recipe).with(options).into(config.folder()));
    }

    private Outcome search(List<Candidate> candidates) throws IOException {
        Recipe any = common(candidates);
        Dataset dataset = any.data().open(new Seed(any.seed()));
        if (dataset.classes().size() < 2 || dataset.samples(Split.TEST).isEmpty()) {
            throw new DatasetException(
                    "a search needs at least two classes and some test images; give every class at least 6 images");
        }
        SearchImages images = SearchImages.of(
                dataset, new Seed(any.seed()), config.objective().maxImages());
        if (any.backbone().weights().isBlank()) {
            throw new IllegalArgumentException("no backbone is named; give --backbone on the command line");
        }
        try (Backbone backbone = RecipeBackbone.load(any, watcher.training())) {
            FoldTrials.Counts counts = counts(dataset, any, (nanos.getAsLong() - started) / 1e9);
            List<Candidate> known = known(candidates, backbone);
            try (SearchFeatures features = new SearchFeatures(
                    backbone, dataset, images, config.objective(), known, config.cache(), watcher.training())) {
                tell(features.unseen());
                Journal journal = Journal.open(folder.journal(), fingerprint(known, features, backbone));
                FoldTrials trials =
                        new FoldTrials(backbone, images, features, counts, this::checkCancelled, watcher.training());
                journal.trials().forEach(trials::learn);
                return search(known, images, journal, features, trials);
            }
        }
    }

    private Outcome search(
            List<Candidate> candidates,
            SearchImages images,
            Journal journal,
            SearchFeatures features,
            FoldTrials trials)
            throws IOException {
        double before = journal.seconds(); // in earlier processes
        DoubleSupplier seconds = () -> before + (nanos.getAsLong() - started) / 1e9;
        Consumer<SearchEvent> keeping = event -> {
            watcher.search().accept(event);
            if (event instanceof SearchEvent.Scored scored) {
                write(scored.board(), scored.seconds());
            }
        };
        Halving halving =
                new Halving(candidates, images, new Halving.Setting(journal, config.limit(), seconds, keeping));
        if (Files.exists(run.recipe())) {
            Leaderboard board = halving.journalled();
            return new Outcome(board, started(board), journal.seconds(), null);
        }
        halving.run(trials);
        Leaderboard board = halving.board();
        Leaderboard.Row chosen = board.choose(config.prefer())
                .orElseThrow(() -> new IllegalArgumentException("no candidate could be scored: "
                        + journal.failures().values().stream().findFirst().orElse("there are none")));
        write(board, seconds.getAsDouble());
        features.handOver(chosen.candidate());
        return new Outcome(board, chosen, seconds.getAsDouble(), null);
    }

    /** A training that was started keeps its recipe. */
    private Leaderboard.Row started(Leaderboard board) throws IOException {
        Recipe recipe = RecipeFile.readStored(run.recipe());
        return board.rows().stream()
                .filter(row -> row.candidate().recipe().equals(recipe))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        config.folder() + " contains a run that was not started by this search; choose another --out"));
    }

    /** Candidates may differ in everything but images, split, backbone and seed. */
    private static Recipe common(List<Candidate> candidates) {
        Recipe first = candidates.get(0).recipe();
        for (Candidate candidate : candidates) {
            Recipe recipe = candidate.recipe();
            if (!recipe.data().equals(first.data())
                    || !recipe.backbone().equals(first.backbone())
                    || recipe.seed() != first.seed()) {
                throw new IllegalArgumentException(candidate.name()
                        + ": its data, backbone or seed differ from those of the first candidate; give them in"
                        + " 'common' or with --set");
            }
        }
        return first;
    }

    /** Those whose layers the backbone has, of images in a size that it takes. */
    private List<Candidate> known(List<Candidate> candidates, Backbone backbone) {
        List<Candidate> known = new ArrayList<>();
        Set<String> unknown = new LinkedHashSet<>();
        String why = "";
        for (Candidate candidate : candidates) {
            try {
                NetworkFeatures.of(candidate.recipe().network().on(backbone))
                        .scales()
                        .forEach(scale -> backbone.requireSize(scale.size()));
                known.add(candidate);
            } catch (IllegalArgumentException e) {
                why = String.valueOf(e.getMessage());
                if (unknown.add(candidate.input())) {
                    watcher.search().accept(new SearchEvent.Decided(candidate.input() + " is left out: " + why));
                }
            }
        }
        if (known.isEmpty()) {
            throw new IllegalArgumentException("the backbone accepts none of the inputs in the search space: " + why);
        }
        return known;
    }

    private static FoldTrials.Counts counts(Dataset dataset, Recipe recipe, double loadSeconds) throws IOException {
        return new FoldTrials.Counts(
                dataset.samples(Split.TRAIN).size()
                        + dataset.samples(Split.VALIDATION).size(),
                dataset.samples(Split.TEST).size(),
                Files.size(recipe.backbone().file()),
                loadSeconds);
    }

    private void tell(List<CorruptionType> unseen) {
        if (!unseen.isEmpty()) {
            watcher.search()
                    .accept(new SearchEvent.Decided("accuracies are those on corrupted copies of left-out images ("
                            + unseen.stream().map(CorruptionType::key).collect(Collectors.joining(", ")) + ")"));
        }
    }

    /** Equal for searches whose trials are equal. */
    private static String fingerprint(List<Candidate> candidates, SearchFeatures features, Backbone backbone)
            throws IOException {
        String recipes = candidates.stream()
                .map(candidate -> candidate.name() + "\n"
                        + RecipeFile.text(candidate.recipe().on("", "")))
                .collect(Collectors.joining("\n"));
        String corrupted = features.unseen().isEmpty() ? "" : features.unseen() + "\n";
        return Sha256.of("gramian-search/1\n" + corrupted + backbone.weightsHash() + "\n" + features.contents() + "\n"
                + recipes);
    }

    /** Called in every batch. */
    private void checkCancelled() {
        if (watcher.stop().getAsBoolean()) {
            throw new SearchStopped("stopped; give the same command to go on"
                    + (Files.exists(folder.best())
                            ? ", or train the best so far with: gramian train " + folder.best() + " --out ANOTHER"
                            : ""));
        }
    }

    private void write(Leaderboard board, double seconds) {
        try {
            Optional<Leaderboard.Row> chosen = board.choose(config.prefer());
            folder.write(board, chosen.orElse(null), config.objective(), seconds);
            if (chosen.isPresent()) {
                AtomicFile.writeText(
                        folder.best(), RecipeFile.text(chosen.get().candidate().recipe()));
            }
        } catch (IOException failure) {
            // The journal has it all; the next trial writes it again, and the end reports what cannot be written.
            watcher.training()
                    .onEvent(new TrainingEvent.Note(
                            String.format(Locale.ROOT, "the leaderboard cannot be written: %s", failure.getMessage())));
        }
    }
}
