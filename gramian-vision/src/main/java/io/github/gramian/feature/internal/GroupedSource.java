package io.github.gramian.feature.internal;

import io.github.gramian.tensor.Seed;
import java.util.Optional;

/**
 * Images of which some belong together, such as photographs of one object.
 *
 * @param source the images
 * @param groups the number of the group of each image, the same in all sources of a dataset
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record GroupedSource(BatchSource source, int[] groups) implements BatchSource {

    public GroupedSource {
        if (groups.length != source.count()) {
            throw new IllegalArgumentException("one group per image is needed");
        }
    }

    @Override
    public int count() {
        return source.count();
    }

    @Override
    public int[] labels() {
        return source.labels();
    }

    @Override
    public boolean sharesGroups() {
        return true;
    }

    @Override
    public boolean enoughToChoose() {
        return source.enoughToChoose();
    }

    @Override
    public int views() {
        return source.views();
    }

    @Override
    public Optional<PcaCache> components(int branch) {
        return source.components(branch);
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        return source.open(order, batchSize, seed);
    }
}
