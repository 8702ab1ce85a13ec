package io.github.gramian.label.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The descriptors of all readable images of a dataset as arrays, by a network that has seen no label.
 *
 * @param samples in the order of the rows
 * @param rows one descriptor per image
 */
public record DatasetDescriptors(List<Sample> samples, List<float[]> rows) {

    private static final int BATCH = 32;

    /** Images whose descriptors are in native memory at once. */
    private static final long BLOCK = 128;

    public DatasetDescriptors {
        samples = List.copyOf(samples);
        rows = List.copyOf(rows);
    }

    /**
     * Describes all images of a dataset, of every split.
     *
     * @param recipe names the backbone and the network
     * @param cache directory for features
     * @param listener receives the progress and the files that are left out
     */
    public static DatasetDescriptors of(Dataset dataset, Recipe recipe, Path cache, TrainingListener listener)
            throws IOException {
        try (DatasetFeatures features = DatasetFeatures.of(dataset, recipe, cache, listener)) {
            List<Sample> samples = features.readable();
            BatchSource source = features.source(samples);
            try (Scope scope = Scope.open();
                    Network network = features.untrained(source)) {
                return new DatasetDescriptors(samples, rows(new NetworkDescriptors(network, source, BATCH)));
            }
        }
    }

    private static List<float[]> rows(NetworkDescriptors descriptors) {
        List<float[]> rows = new ArrayList<>();
        for (long from = 0; from < descriptors.count(); from += BLOCK) {
            try (Scope scope = Scope.open()) {
                long to = Math.min(descriptors.count(), from + BLOCK);
                rows.addAll(Arrays.asList(HostCopy.rows(descriptors.rows(from, to))));
            }
        }
        return rows;
    }
}
