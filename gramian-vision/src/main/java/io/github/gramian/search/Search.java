package io.github.gramian.search;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.internal.Setting;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.search.internal.Leaderboard;
import io.github.gramian.search.internal.Objective;
import io.github.gramian.search.internal.SearchConfig;
import io.github.gramian.search.internal.SearchRun;
import io.github.gramian.search.internal.SearchSpace;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a recipe for a dataset and trains it. Candidates are compared by folds inside the training images; the test images are
 * opened once, by the trained model. A search into the directory of a stopped search continues it.
 *
 * <pre>{@code
 * Search.Result found = Search.of(photos, weights)
 *         .with(SearchOptions.within(Duration.ofMinutes(15)))
 *         .into(Path.of("runs/best"));
 * }</pre>
 *
 * <p>A value: each method returns another search.
 */
public final class Search {

    /**
     * The recipe that was found, and the run that was trained with it.
     *
     * @param recipe of the chosen candidate
     * @param candidate name of the chosen candidate
     * @param foldAccuracy accuracy of the chosen candidate on left-out folds of the training images, for a robust search on
     *     corrupted copies of them
     * @param candidates number of candidates that were scored
     * @param searched time of the search, without the training
     * @param folder directory of the trained run
     */
    public record Result(
            Recipe recipe, String candidate, double foldAccuracy, int candidates, Duration searched, Path folder) {}

    private final List<String> settings;
    private final SearchOptions options;
    private final @Nullable TrainingOptions training;

    private Search(List<String> settings, SearchOptions options, @Nullable TrainingOptions training) {
        this.settings = List.copyOf(settings);
        this.options = options;
        this.training = training;
    }

    /** A search of 15 minutes for these images (a directory or a CSV manifest) with these backbone weights. */
    public static Search of(Path images, Path weights) {
        return new Search(List.of(), SearchOptions.within(Duration.ofMinutes(15)), null)
                .with("data.images", images)
                .with("backbone.weights", weights);
    }

    /** The same with these options instead of earlier ones. */
    public Search with(SearchOptions other) {
        return new Search(settings, other, training);
    }

    /** The same with this cache, cancellation and listener. */
    public Search with(TrainingOptions other) {
        return new Search(settings, options, other);
    }

    /** The same with a setting on top of all candidates' recipes, as {@link Recipe#with} takes it. */
    public Search with(String key, Object value) {
        List<String> more = new ArrayList<>(settings);
        more.add(Setting.of(key, value));
        return new Search(more, options, training);
    }

    /**
     * Searches and trains.
     *
     * @param folder run directory; created if it does not exist
     * @throws io.github.gramian.train.TrainingStopped if it was cancelled during the final training
     * @throws io.github.gramian.GramianException if it was cancelled during the search; the same call continues it
     */
    public Result into(Path folder) throws IOException {
        Objective objective = options.robust() ? Objective.ROBUST : Objective.ACCURACY;
        SearchSpace space = options.space() == null ? objective.space() : SearchSpace.read(options.space());
        SearchConfig.Limit limit = options.trials() > 0
                ? new SearchConfig.Limit.Trials(options.trials())
                : new SearchConfig.Limit.Minutes(options.time().toMillis() / 60_000.0);
        TrainingOptions watched = training == null ? TrainingOptions.defaults(RunFolder.cacheNextTo(folder)) : training;
        SearchRun.Outcome outcome = SearchRun.run(
                new SearchConfig(space, settings, limit, objective, options.prefer(), folder, watched.cache()),
                new SearchConfig.Watcher(watched.stop(), event -> {}, watched.listener()));
        Leaderboard.Row chosen = outcome.chosen();
        return new Result(
                chosen.candidate().recipe(),
                chosen.candidate().name(),
                chosen.accuracy().mean(),
                outcome.board().rows().size(),
                Duration.ofMillis(Math.round(1000 * outcome.seconds())),
                folder);
    }
}
