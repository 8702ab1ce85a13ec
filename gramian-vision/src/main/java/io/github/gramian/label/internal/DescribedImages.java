package io.github.gramian.label.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.ridge.internal.CrossValidation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The readable images of a dataset, described by a network that has seen no label, and all pairs of them compared. Owns the
 * comparison until it is closed.
 */
public final class DescribedImages implements AutoCloseable {

    /** All pairs of images are compared: at this number a matrix of them takes 1.2 GB, and the work some minutes. */
    static final int MAX_IMAGES = 12_000;

    private final List<Sample> samples;
    private final int[] groups;
    private final CrossValidation rows;

    private DescribedImages(List<Sample> samples, int[] groups, CrossValidation rows) {
        this.samples = samples;
        this.groups = groups;
        this.rows = rows;
    }

    /**
     * Describes all images of a dataset, of every split.
     *
     * @param recipe names the backbone, and the network whose descriptors are compared
     * @param cache directory for features
     * @param listener receives the progress and the files that are left out
     */
    public static DescribedImages of(Dataset dataset, Recipe recipe, Path cache, TrainingListener listener)
            throws IOException {
        if (dataset.samples().size() > MAX_IMAGES) {
            throw new DatasetException("all pairs of images are compared, so there may be at most " + MAX_IMAGES
                    + " images, but there are " + dataset.samples().size() + "; check the classes in parts");
        }
        try (DatasetFeatures features = DatasetFeatures.of(dataset, recipe, cache, listener)) {
            List<Sample> samples = features.readable();
            if (samples.stream().mapToInt(Sample::label).distinct().count() < 2) {
                throw new DatasetException("labels can be compared only if images of at least two classes can be read");
            }
            BatchSource source = features.source(samples);
            try (Scope scope = Scope.open();
                    Network network = features.untrained(source)) {
                return new DescribedImages(
                        samples, groups(dataset, samples), CrossValidation.of(network, source, recipe.ridge()));
            }
        }
    }

    /** Images of one group are left out together: each would vouch for the label of the others. */
    private static int[] groups(Dataset dataset, List<Sample> samples) {
        return DividedDataset.of(dataset).listing().groups().numbers(samples);
    }

    /** The images that can be read, in the order of the rows. */
    public List<Sample> samples() {
        return samples;
    }

    /** The number of the group of each image, from 0; an image without others of its group is alone in one. */
    public int[] groups() {
        return groups.clone();
    }

    /** The comparison of all pairs, in the order of the samples. */
    public CrossValidation rows() {
        return rows;
    }

    @Override
    public void close() {
        rows.close();
    }
}
