package io.github.gramian.label.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.internal.RecipeBackbone;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The features of all images of a dataset that can be read, and a network that describes them without having seen a label. */
public final class DatasetFeatures implements AutoCloseable {

    private static final int BLOCK = 32;

    private final Dataset dataset;
    private final Recipe recipe;
    private final FrozenFeatures frozen;
    private final FrozenFeatures.Version images;

    private DatasetFeatures(Dataset dataset, Recipe recipe, FrozenFeatures frozen, FrozenFeatures.Version images) {
        this.dataset = dataset;
        this.recipe = recipe;
        this.frozen = frozen;
        this.images = images;
    }

    /**
     * Loads the recipe's backbone, reads all files, and computes the features that are not in the cache.
     *
     * @param cache directory for features
     * @param listener receives the progress and the files that are left out
     */
    public static DatasetFeatures of(Dataset dataset, Recipe recipe, Path cache, TrainingListener listener)
            throws IOException {
        Backbone backbone = RecipeBackbone.load(recipe, listener);
        try {
            FrozenFeatures.Version images = RecipeBackbone.images(recipe, backbone);
            FrozenFeatures frozen = new FrozenFeatures(
                    backbone, dataset, List.of(images), cache, note -> listener.onEvent(new TrainingEvent.Note(note)));
            DatasetFeatures features = new DatasetFeatures(dataset, recipe, frozen, images);
            frozen.fill(
                    images,
                    dataset.samples(),
                    (done, total) -> listener.onEvent(new TrainingEvent.Features(done, total)));
            return features;
        } catch (IOException | RuntimeException failure) {
            backbone.close();
            throw failure;
        }
    }

    /** The images that can be read, in the order of the dataset. */
    public List<Sample> readable() {
        return frozen.readable(dataset.samples());
    }

    /** The features of some readable images. */
    public BatchSource source(List<Sample> samples) {
        return frozen.source(images, samples, recipe.backbone().head());
    }

    /**
     * The recipe's network as a classifier in closed form starts from it. The caller closes it.
     *
     * @param start images whose features decide where it starts
     */
    Network untrained(BatchSource start) {
        Seed seed = new Seed(recipe.seed());
        Network network = new Network(
                recipe.network().on(frozen.backbone()),
                FeatureMaps.channels(frozen.backbone(), images.request()),
                Math.max(2, dataset.classes().size()),
                recipe.backbone().head(),
                seed.child("network"));
        try {
            new Initialisation(network, start, recipe.initialisation(), seed.child("start")).runForClosedForm();
            return network;
        } catch (RuntimeException failure) {
            network.close();
            throw failure;
        }
    }

    /** The descriptors of all readable images, by a network that has seen no label. */
    public List<float[]> descriptors() {
        BatchSource source = source(readable());
        List<float[]> rows = new ArrayList<>();
        try (Scope scope = Scope.open();
                Network network = untrained(source)) {
            NetworkDescriptors all = new NetworkDescriptors(network, source, BLOCK);
            for (long from = 0; from < all.count(); from += BLOCK) {
                try (Scope step = Scope.open()) {
                    rows.addAll(List.of(HostCopy.rows(all.rows(from, Math.min(all.count(), from + BLOCK)))));
                }
            }
        }
        return rows;
    }

    @Override
    public void close() throws IOException {
        try {
            frozen.close();
        } finally {
            frozen.backbone().close();
        }
    }
}
