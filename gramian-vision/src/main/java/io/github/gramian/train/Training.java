package io.github.gramian.train;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A whole training: features, initialisation, stage 1, stage 2, the classifier, the model, its scores. Everything goes into
 * one run directory. Steps that are done already are skipped, so training into the directory of a stopped run continues it.
 *
 * <pre>{@code
 * Run run = Training.of(Recipe.standard().on(photos, weights))
 *         .onEpoch(epoch -> System.out.println(epoch.validationAccuracy()))
 *         .into(Path.of("runs/first"));
 * }</pre>
 *
 * <p>A value: each method returns another training. Features are cached next to the run directory unless the {@linkplain
 * #with options} name another place.
 */
public final class Training {

    private final Recipe recipe;
    private final Function<Path, TrainingOptions> optionsOfRun;
    private final TrainingListener added;
    private final @Nullable Dataset images;

    private Training(
            Recipe recipe,
            Function<Path, TrainingOptions> optionsOfRun,
            TrainingListener added,
            @Nullable Dataset images) {
        this.recipe = recipe;
        this.images = images;
        this.optionsOfRun = optionsOfRun;
        this.added = added;
    }

    /** A training by a recipe that names images and weights. */
    public static Training of(Recipe recipe) {
        return new Training(
                recipe,
                directory -> TrainingOptions.defaults(RunFolder.cacheNextTo(directory)),
                TrainingListener.silent(),
                null);
    }

    /**
     * The same on a dataset in memory, instead of the images that the recipe names. To continue such a training, call this
     * again with the same dataset: {@code gramian resume} cannot know it.
     */
    public Training on(Dataset dataset) {
        return new Training(recipe, optionsOfRun, added, dataset);
    }

    /**
     * The same with these options instead of earlier ones. Listeners of {@link #onEvent} and {@link #onEpoch} are retained,
     * in addition to the options' own listener, so the order of the calls does not matter.
     */
    public Training with(TrainingOptions options) {
        return new Training(recipe, directory -> options, added, images);
    }

    /** The same with another listener for all events, in addition to earlier ones. */
    public Training onEvent(TrainingListener listener) {
        return new Training(recipe, optionsOfRun, added.and(listener), images);
    }

    /** The same with a listener for epochs: losses, validation accuracy, health. */
    public Training onEpoch(Consumer<TrainingEvent.Epoch> listener) {
        return onEvent(event -> {
            if (event instanceof TrainingEvent.Epoch epoch) {
                listener.accept(epoch);
            }
        });
    }

    /**
     * Trains, or continues a training that was stopped. If several processes train together, the first one calls this, and the
     * others call {@link #assist}.
     *
     * @param directory the run directory; created if it does not exist
     * @throws TrainingStopped if it was cancelled
     * @throws io.github.gramian.run.TrainingException if values became NaN or infinite, or files are damaged
     * @throws io.github.gramian.distributed.ProcessLostException if another process was lost; run all of them again
     */
    public Run into(Path directory) throws IOException {
        TrainingOptions options = options(directory);
        if (!options.distributed().leads()) {
            throw new IllegalArgumentException("process 0 leads a training; call assist as process "
                    + options.distributed().rank());
        }
        return Objects.requireNonNull(TrainingPipeline.run(recipe, images, directory, options));
    }

    /**
     * Takes part in a training that the first process leads, and returns when it needs no more help. This process reads
     * images, weights and features as that one does, and writes features only, if they are missing.
     *
     * @param directory the run directory, for messages; neither read nor written
     * @throws TrainingStopped if a process was cancelled
     * @throws io.github.gramian.run.TrainingException if values became NaN or infinite
     * @throws io.github.gramian.distributed.ProcessLostException if another process was lost; run all of them again
     */
    public void assist(Path directory) throws IOException {
        TrainingOptions options = options(directory);
        if (options.distributed().leads()) {
            throw new IllegalArgumentException("process 0 leads a training and must call into");
        }
        TrainingPipeline.run(recipe, images, directory, options);
    }

    /** The options of a run in this directory, with all listeners. */
    TrainingOptions options(Path directory) {
        TrainingOptions options = optionsOfRun.apply(directory);
        return options.withListener(options.listener().and(added));
    }
}
