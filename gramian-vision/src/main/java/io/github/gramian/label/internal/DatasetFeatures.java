package io.github.gramian.label.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.train.internal.ScaleExtraction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The features of all images of a dataset that can be read, as a recipe's network takes them. Computes missing ones. */
public final class DatasetFeatures implements AutoCloseable {

    private final Dataset dataset;
    private final Recipe recipe;
    private final NetworkConfig network;
    private final TrainingListener listener;
    private final List<FeatureCache> caches = new ArrayList<>();
    private final Map<String, ContentKey> keys = new HashMap<>();
    private final Set<String> broken = new HashSet<>();

    private DatasetFeatures(Dataset dataset, Recipe recipe, NetworkConfig network, TrainingListener listener) {
        this.dataset = dataset;
        this.recipe = recipe;
        this.network = network;
        this.listener = listener;
    }

    /**
     * Reads all files, and computes the features that are not in the cache.
     *
     * @param listener receives the progress and the files that are left out
     */
    public static DatasetFeatures of(
            Dataset dataset, Recipe recipe, Backbone backbone, Path cache, TrainingListener listener)
            throws IOException {
        DatasetFeatures features =
                new DatasetFeatures(dataset, recipe, recipe.network().on(backbone), listener);
        try {
            for (FeatureRequest.Scale scale :
                    NetworkFeatures.of(features.network).scales()) {
                Preprocessing views = recipe.views().test(scale.size(), backbone.normalisation());
                features.fill(ScaleExtraction.of(backbone, scale.taps(), views, cache), cache);
            }
            return features;
        } catch (IOException | RuntimeException failure) {
            features.close();
            throw failure;
        }
    }

    private void fill(ScaleExtraction scale, Path cache) throws IOException {
        List<Path> files = dataset.samples().stream().map(dataset::file).toList();
        FeatureExtraction.Plan plan = scale.extraction().plan(files);
        FeatureExtraction.Summary summary = scale.extraction()
                .run(plan, (done, total) -> listener.onEvent(new TrainingEvent.Features(done, total)));
        for (int i = 0; i < files.size(); i++) {
            Sample sample = dataset.samples().get(i);
            plan.keys().get(i).ifPresent(key -> keys.put(sample.id(), key));
            Decoded.Rejected why = summary.rejects().get(files.get(i));
            if (why != null && broken.add(sample.id())) {
                listener.onEvent(new TrainingEvent.Note("left out " + sample.path() + ": " + why.sentence()));
            }
        }
        caches.add(FeatureCache.open(cache, scale.recipe()));
    }

    /** The network that the features are for. */
    public NetworkConfig network() {
        return network;
    }

    /** The images that can be read, in the order of the dataset. */
    public List<Sample> readable() {
        return dataset.samples().stream()
                .filter(sample -> !broken.contains(sample.id()))
                .toList();
    }

    /** The features of some readable images. */
    public BatchSource source(List<Sample> samples) {
        return new CachedFeatures(
                NetworkFeatures.of(network),
                caches,
                samples.stream()
                        .map(sample -> Objects.requireNonNull(keys.get(sample.id())))
                        .toList(),
                samples.stream().mapToInt(Sample::label).toArray(),
                recipe.backbone().head(),
                note -> listener.onEvent(new TrainingEvent.Note(note)));
    }

    @Override
    public void close() throws IOException {
        for (FeatureCache cache : caches) {
            cache.close();
        }
    }
}
