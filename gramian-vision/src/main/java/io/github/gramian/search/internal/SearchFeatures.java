package io.github.gramian.search.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
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

/** The features of a search's images, for all candidates: each size and its views once. Broken files are left out and named. */
final class SearchFeatures implements AutoCloseable {

    private final Backbone backbone;
    private final Dataset dataset;
    private final SearchImages images;
    private final TrainingListener listener;
    private final Map<String, ScaleFeatures> scales = new LinkedHashMap<>();
    private final Map<String, ContentKey> keys = new HashMap<>();
    private final Set<String> broken = new TreeSet<>();

    SearchFeatures(Backbone backbone, Dataset dataset, SearchImages images, TrainingListener listener) {
        this.backbone = backbone;
        this.dataset = dataset;
        this.images = images;
        this.listener = listener;
    }

    /** Prepares the scales of all candidates: nothing is computed yet but shapes. */
    void prepare(List<Candidate> candidates, Path root) {
        Map<String, Preprocessing> views = new LinkedHashMap<>();
        Map<String, Set<String>> taps = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            for (FeatureRequest.Scale scale :
                    NetworkFeatures.of(network(candidate)).scales()) {
                Preprocessing seen = views(candidate, scale);
                views.put(seen.identity(), seen);
                taps.computeIfAbsent(seen.identity(), key -> new LinkedHashSet<>())
                        .addAll(scale.taps());
            }
        }
        views.forEach((key, seen) -> scales.put(
                key, new ScaleFeatures(backbone, seen, List.copyOf(Objects.requireNonNull(taps.get(key))), root)));
    }

    NetworkConfig network(Candidate candidate) {
        return candidate.recipe().network().on(backbone);
    }

    private Preprocessing views(Candidate candidate, FeatureRequest.Scale scale) {
        return candidate.recipe().views().test(scale.size(), backbone.normalisation());
    }

    private List<ScaleFeatures> scales(Candidate candidate) {
        return NetworkFeatures.of(network(candidate)).scales().stream()
                .map(scale -> Objects.requireNonNull(
                        scales.get(views(candidate, scale).identity())))
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
        return sharedSeconds(candidate, candidate, rung);
    }

    /** Seconds that those features of a rung will take that are missing for both candidates. */
    double sharedSeconds(Candidate candidate, Candidate other, int rung) {
        List<ScaleFeatures> both = new ArrayList<>(scales(candidate));
        both.retainAll(scales(other));
        try {
            double sum = 0;
            for (ScaleFeatures scale : both) {
                int missing = scale.missing(rung, files(rung));
                sum += missing == 0 ? 0 : missing * scale.secondsPerImage();
            }
            return sum;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    double secondsPerImage(Candidate candidate) {
        return scales(candidate).stream()
                .mapToDouble(ScaleFeatures::secondsPerImage)
                .sum();
    }

    /**
     * Computes what is missing for a candidate on a rung.
     *
     * @param alive called after each batch
     */
    void fill(Candidate candidate, int rung, Runnable alive) throws IOException {
        for (ScaleFeatures scale : scales(candidate)) {
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

    CachedFeatures source(Candidate candidate, List<Sample> readable) {
        return new CachedFeatures(
                NetworkFeatures.of(network(candidate)),
                scales(candidate).stream().map(ScaleFeatures::cache).toList(),
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
        for (FeatureRequest.Scale scale : NetworkFeatures.of(network(candidate)).scales()) {
            Objects.requireNonNull(scales.get(views(candidate, scale).identity()))
                    .copyTo(scale.taps(), all);
        }
    }

    @Override
    public void close() throws IOException {
        for (ScaleFeatures scale : scales.values()) {
            scale.close();
        }
    }
}
