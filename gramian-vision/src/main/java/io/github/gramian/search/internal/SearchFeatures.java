package io.github.gramian.search.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.feature.internal.JoinedSource;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.ViewsConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The features of a search's images, for all candidates: each size and its views once. Broken files are left out and named. */
final class SearchFeatures implements AutoCloseable {

    private static final long FIRST_COPY_SEED = 1;
    private static final long FIRST_EVALUATED_SEED = 101;

    private final Backbone backbone;
    private final Dataset dataset;
    private final SearchImages images;
    private final TrainingListener listener;
    private final Objective objective;
    private final Map<String, ScaleFeatures> scales = new LinkedHashMap<>();
    private final Map<String, ContentKey> keys = new HashMap<>();
    private final Set<String> broken = new TreeSet<>();
    private List<CorruptionType> unseen = List.of();

    SearchFeatures(
            Backbone backbone, Dataset dataset, SearchImages images, Objective objective, TrainingListener listener) {
        this.backbone = backbone;
        this.dataset = dataset;
        this.images = images;
        this.objective = objective;
        this.listener = listener;
    }

    /** Prepares the scales of all candidates: nothing is computed yet but shapes. */
    void prepare(List<Candidate> candidates, Path root) {
        if (objective == Objective.ROBUST) {
            unseen = objective.unseen(candidates);
        }
        Map<String, ImageVersion> versions = new LinkedHashMap<>();
        Map<String, Set<String>> taps = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            for (List<ImageVersion> version : versions(candidate)) {
                for (ImageVersion scale : version) {
                    versions.put(scale.key(), scale);
                    taps.computeIfAbsent(scale.key(), key -> new LinkedHashSet<>())
                            .addAll(scale.taps());
                }
            }
        }
        versions.forEach((key, version) -> scales.put(
                key,
                new ScaleFeatures(
                        backbone,
                        version.views(),
                        version.seed(),
                        List.copyOf(Objects.requireNonNull(taps.get(key))),
                        root)));
    }

    /** The corruptions that candidates are evaluated on; none if images are evaluated as they are. */
    List<CorruptionType> unseen() {
        return unseen;
    }

    NetworkConfig network(Candidate candidate) {
        return candidate.recipe().network().on(backbone);
    }

    /** What a candidate is fitted to, the images as they are first, then what it is evaluated on, if that is another version. */
    private List<List<ImageVersion>> versions(Candidate candidate) {
        List<List<ImageVersion>> versions = new ArrayList<>(fitted(candidate));
        if (evaluatesOthers(candidate)) {
            ViewsConfig views = candidate.recipe().views();
            versions.addAll(objective
                    .evaluated(views, unseen)
                    .map(evaluated -> copies(candidate, evaluated, FIRST_EVALUATED_SEED))
                    .orElseGet(() -> List.of(clean(candidate))));
        }
        return versions;
    }

    /** The images as they are, and their copies. */
    private List<List<ImageVersion>> fitted(Candidate candidate) {
        List<List<ImageVersion>> fitted = new ArrayList<>(List.of(clean(candidate)));
        fitted.addAll(copies(candidate, candidate.recipe().views(), FIRST_COPY_SEED));
        return fitted;
    }

    /** Whether a candidate is evaluated on other versions of the images than the only one that it is fitted to. */
    boolean evaluatesOthers(Candidate candidate) {
        return objective == Objective.ROBUST || candidate.recipe().views().copyCount() > 0;
    }

    /** Number of versions of each image that a candidate is fitted to. */
    int fittedVersions(Candidate candidate) {
        return 1 + candidate.recipe().views().copyCount();
    }

    private List<ImageVersion> clean(Candidate candidate) {
        return scalesOf(candidate).stream()
                .map(scale -> new ImageVersion(
                        candidate.recipe().views().test(scale.size(), backbone.normalisation()),
                        new Seed(0),
                        scale.taps()))
                .toList();
    }

    /** Copies, of which each draws its own changes: with the seeds of a training, which shares their features. */
    private List<List<ImageVersion>> copies(Candidate candidate, ViewsConfig views, long firstSeed) {
        return IntStream.range(0, views.copyCount())
                .mapToObj(copy -> scalesOf(candidate).stream()
                        .map(scale -> new ImageVersion(
                                views.copies(scale.size(), backbone.normalisation())
                                        .get(copy),
                                new Seed(firstSeed + copy),
                                scale.taps()))
                        .toList())
                .toList();
    }

    private List<FeatureRequest.Scale> scalesOf(Candidate candidate) {
        return NetworkFeatures.of(network(candidate)).scales();
    }

    private List<ScaleFeatures> features(List<ImageVersion> version) {
        return version.stream()
                .map(scale -> Objects.requireNonNull(scales.get(scale.key())))
                .toList();
    }

    private List<ScaleFeatures> all(List<List<ImageVersion>> versions) {
        return versions.stream()
                .flatMap(version -> features(version).stream())
                .distinct()
                .toList();
    }

    private List<Path> files(int rung) {
        return images.rungs().get(rung).stream().map(dataset::file).toList();
    }

    /** A hash of the contents of all images with their classes. */
    String contents() throws IOException {
        List<Sample> all = images.rungs().get(images.last());
        List<Optional<ContentKey>> found = scales.values()
                .iterator()
                .next()
                .plan(images.last(), files(images.last()))
                .keys();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < all.size(); i++) {
            text.append(all.get(i).id()).append('\t').append(all.get(i).label()).append('\t');
            text.append(found.get(i).map(ContentKey::hex).orElse("-")).append('\n');
        }
        return Sha256.of(text.toString());
    }

    /** Seconds that the missing features of a rung will take. */
    double seconds(Candidate candidate, int rung) {
        return seconds(all(versions(candidate)), rung);
    }

    /** Seconds that the missing features of a rung will take that a training needs. */
    double trainingSeconds(Candidate candidate, int rung) {
        return seconds(all(fitted(candidate)), rung);
    }

    /** Seconds that those features of a rung will take that a trial of the other candidate leaves for training this one. */
    double sharedSeconds(Candidate candidate, Candidate other, int rung) {
        List<ScaleFeatures> both = new ArrayList<>(all(fitted(candidate)));
        both.retainAll(all(versions(other)));
        return seconds(both, rung);
    }

    private double seconds(List<ScaleFeatures> some, int rung) {
        try {
            double sum = 0;
            for (ScaleFeatures scale : some) {
                int missing = scale.missing(rung, files(rung));
                sum += missing == 0 ? 0 : missing * scale.secondsPerImage();
            }
            return sum;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    double secondsPerImage(Candidate candidate) {
        return features(clean(candidate)).stream()
                .mapToDouble(ScaleFeatures::secondsPerImage)
                .sum();
    }

    /**
     * Computes what is missing for a candidate on a rung.
     *
     * @param alive called after each batch
     */
    void fill(Candidate candidate, int rung, Runnable alive) throws IOException {
        for (ScaleFeatures scale : all(versions(candidate))) {
            if (!scale.isFilled(rung)) {
                FeatureExtraction.Plan plan = scale.plan(rung, files(rung));
                FeatureExtraction.Summary summary = scale.fill(rung, files(rung), (done, total) -> {
                    listener.onEvent(new TrainingEvent.Features(done, total));
                    alive.run();
                });
                note(rung, plan, summary);
            }
        }
    }

    private void note(int rung, FeatureExtraction.Plan plan, FeatureExtraction.Summary summary) {
        List<Sample> samples = images.rungs().get(rung);
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            plan.keys().get(i).ifPresent(key -> keys.put(sample.id(), key));
            Decoded.Rejected why = summary.rejects().get(plan.files().get(i));
            if (why != null && broken.add(sample.id())) {
                listener.onEvent(new TrainingEvent.Note("left out " + sample.path() + ": " + why.sentence()));
            }
        }
    }

    boolean isBroken(Sample sample) {
        return broken.contains(sample.id());
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

    private CachedFeatures source(Candidate candidate, List<ImageVersion> version, List<Sample> readable) {
        return new CachedFeatures(
                NetworkFeatures.of(network(candidate)),
                features(version).stream().map(ScaleFeatures::cache).toList(),
                readable.stream()
                        .map(sample -> Objects.requireNonNull(keys.get(sample.id())))
                        .toList(),
                readable.stream().mapToInt(Sample::label).toArray(),
                candidate.recipe().backbone().head(),
                text -> listener.onEvent(new TrainingEvent.Note(text)));
    }

    /** Leaves the features of the chosen candidate where its training finds them. */
    void handOver(Candidate candidate) throws IOException {
        List<Path> all = files(images.last());
        for (List<ImageVersion> version : fitted(candidate)) {
            for (ImageVersion scale : version) {
                Objects.requireNonNull(scales.get(scale.key())).copyTo(scale.taps(), all);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (ScaleFeatures scale : scales.values()) {
            scale.close();
        }
    }
}
