package io.github.gramian.search.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.feature.internal.FrozenFeatures.Version;
import io.github.gramian.feature.internal.JoinedSource;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.train.internal.RecipeBackbone;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The features of a search's images in the versions that its candidates are fitted to and evaluated on. */
final class SearchFeatures implements AutoCloseable {

    /** As in a training, which then finds the features of a search. */
    private static final long FIRST_COPY_SEED = 1;

    private static final long FIRST_EVALUATED_SEED = 101;

    private final Backbone backbone;
    private final SearchImages images;
    private final TrainingListener listener;
    private final Objective objective;
    private final List<CorruptionType> unseen;
    private final FrozenFeatures frozen;

    /** Of the images of all candidates; nothing is computed yet but shapes. */
    SearchFeatures(
            Backbone backbone,
            Dataset dataset,
            SearchImages images,
            Objective objective,
            List<Candidate> candidates,
            Path cache,
            TrainingListener listener) {
        this.backbone = backbone;
        this.images = images;
        this.objective = objective;
        this.listener = listener;
        this.unseen = objective == Objective.ROBUST ? objective.unseen(candidates) : List.of();
        this.frozen = new FrozenFeatures(
                backbone,
                dataset,
                candidates.stream()
                        .flatMap(candidate -> versions(candidate).stream())
                        .toList(),
                cache,
                text -> listener.onEvent(new TrainingEvent.Note(text)));
    }

    /** The corruptions that candidates are evaluated on; none if images are evaluated as they are. */
    List<CorruptionType> unseen() {
        return unseen;
    }

    NetworkConfig network(Candidate candidate) {
        return candidate.recipe().network().on(backbone);
    }

    /** What a candidate is fitted to, the images as they are first, then what it is evaluated on, if that is another version. */
    private List<Version> versions(Candidate candidate) {
        List<Version> versions = new ArrayList<>(fitted(candidate));
        if (evaluatesOthers(candidate)) {
            Recipe recipe = candidate.recipe();
            versions.addAll(objective
                    .evaluated(recipe.views(), unseen)
                    .map(evaluated -> RecipeBackbone.copies(recipe, evaluated, backbone, FIRST_EVALUATED_SEED))
                    .orElseGet(() -> List.of(clean(candidate))));
        }
        return versions;
    }

    /** The images as they are, and their copies. */
    private List<Version> fitted(Candidate candidate) {
        Recipe recipe = candidate.recipe();
        List<Version> fitted = new ArrayList<>(List.of(clean(candidate)));
        fitted.addAll(RecipeBackbone.copies(recipe, recipe.views(), backbone, FIRST_COPY_SEED));
        return fitted;
    }

    private Version clean(Candidate candidate) {
        return RecipeBackbone.images(candidate.recipe(), backbone);
    }

    /** Whether a candidate is evaluated on other versions of the images than the only one that it is fitted to. */
    boolean evaluatesOthers(Candidate candidate) {
        return objective == Objective.ROBUST || candidate.recipe().views().copyCount() > 0;
    }

    /** Number of versions of each image that a candidate is fitted to. */
    int fittedVersions(Candidate candidate) {
        return 1 + candidate.recipe().views().copyCount();
    }

    private List<Sample> samples(int rung) {
        return images.rungs().get(rung);
    }

    /** A hash of the contents of all images with their classes. */
    String contents() throws IOException {
        List<Sample> all = samples(images.last());
        List<Optional<String>> found = frozen.sums(all);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < all.size(); i++) {
            text.append(all.get(i).id()).append('\t').append(all.get(i).label()).append('\t');
            text.append(found.get(i).orElse("-")).append('\n');
        }
        return Sha256.of(text.toString());
    }

    /** Seconds that the missing features of a rung will take. */
    double seconds(Candidate candidate, int rung) {
        return frozen.seconds(versions(candidate), samples(rung));
    }

    /** Seconds that the missing features of a rung will take that a training needs. */
    double trainingSeconds(Candidate candidate, int rung) {
        return frozen.seconds(fitted(candidate), samples(rung));
    }

    /** Seconds that those features of a rung will take that a trial of the other candidate leaves for training this one. */
    double sharedSeconds(Candidate candidate, Candidate other, int rung) {
        return frozen.sharedSeconds(fitted(candidate), versions(other), samples(rung));
    }

    double secondsPerImage(Candidate candidate) {
        return frozen.secondsPerImage(clean(candidate));
    }

    /**
     * Computes what is missing for a candidate on a rung.
     *
     * @param alive called after each batch
     */
    void fill(Candidate candidate, int rung, Runnable alive) throws IOException {
        for (Version version : versions(candidate)) {
            frozen.fill(version, samples(rung), (done, total) -> {
                listener.onEvent(new TrainingEvent.Features(done, total));
                alive.run();
            });
        }
    }

    boolean isBroken(Sample sample) {
        return frozen.isBroken(sample);
    }

    /** The images as they are. */
    BatchSource source(Candidate candidate, List<Sample> readable) {
        return source(candidate, clean(candidate), readable);
    }

    /** All images in the versions that a candidate is fitted to, then in those that it is evaluated on. */
    BatchSource allVersions(Candidate candidate, List<Sample> readable) {
        return new JoinedSource(versions(candidate).stream()
                .map(version -> source(candidate, version, readable))
                .toList());
    }

    private BatchSource source(Candidate candidate, Version version, List<Sample> readable) {
        return frozen.source(version, readable, candidate.recipe().backbone().head());
    }

    /** Leaves the features of the chosen candidate where its training finds them. */
    void handOver(Candidate candidate) throws IOException {
        for (Version version : fitted(candidate)) {
            frozen.handOver(version, samples(images.last()));
        }
    }

    @Override
    public void close() throws IOException {
        frozen.close();
    }
}
