package io.github.gramian.label.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import io.github.gramian.train.ridge.internal.ReducedRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import org.bytedeco.pytorch.Tensor;

/**
 * Short descriptors of all images of a dataset that can be read, made without any label: those of the recipe's network on
 * their leading principal components.
 *
 * @param samples the images, in the order of the dataset
 * @param values one row per image, of at most 256 dimensions
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record ReducedDescriptors(List<Sample> samples, float[][] values) {

    /** Number of images that decide the network's start and the components. */
    private static final int SAMPLE = 3000;

    private static final int BATCH = 32;

    public ReducedDescriptors {
        samples = List.copyOf(samples);
    }

    /**
     * Describes all images, of every split and their label.
     *
     * @param recipe names the backbone, and the network whose descriptors are reduced
     * @param cache directory for features
     * @param listener receives the progress of the features and the files that are left out
     * @param compared receives the progress after that, in steps that may be repeated
     */
    public static ReducedDescriptors of(
            Dataset dataset, Recipe recipe, Path cache, TrainingListener listener, FeatureExtraction.Progress compared)
            throws IOException {
        try (DatasetFeatures features = DatasetFeatures.of(dataset, recipe, cache, listener)) {
            List<Sample> samples = features.readable();
            if (samples.size() < 2) {
                throw new DatasetException("at least two images must be readable; add images");
            }
            Seed seed = new Seed(recipe.seed());
            BatchSource sample = features.source(drawn(samples, seed.child("sample")));
            long steps = (long) sample.count() + samples.size();
            try (Scope scope = Scope.open();
                    Network network = features.untrained(sample)) {
                float[][] values = ReducedRows.of(
                        new Counted(new NetworkDescriptors(network, sample, BATCH), to -> compared.done(to, steps)),
                        new Counted(
                                new NetworkDescriptors(network, features.source(samples), BATCH),
                                to -> compared.done(sample.count() + to, steps)),
                        ImageSpace.MAX_DIMENSIONS,
                        recipe.ridge(),
                        seed.child("components"));
                return new ReducedDescriptors(samples, values);
            }
        }
    }

    /** Reports the last row of each request. */
    private record Counted(Descriptors descriptors, LongConsumer reached) implements Descriptors {

        @Override
        public long count() {
            return descriptors.count();
        }

        @Override
        public long length() {
            return descriptors.length();
        }

        @Override
        public Tensor rows(long from, long to) {
            Tensor rows = descriptors.rows(from, to);
            reached.accept(to);
            return rows;
        }
    }

    private static List<Sample> drawn(List<Sample> samples, Seed seed) {
        if (samples.size() <= SAMPLE) {
            return samples;
        }
        List<Sample> shuffled = new ArrayList<>(samples);
        Collections.shuffle(shuffled, new Random(seed.value()));
        return shuffled.subList(0, SAMPLE);
    }
}
