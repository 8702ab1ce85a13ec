package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.tensor.Seed;

/** How a listing is split into training and test images. Splits are numbered from 1, as the datasets number theirs. */
public sealed interface SplitRule
        permits OfficialSplit, RandomShare, RandomPerClass, FewPerClass, Folds, PhysicalSamples {

    /** Its name in reports and on the command line, such as {@code train-1-test-3}. */
    String name();

    /** Number of splits of this kind that the listing has; {@link Integer#MAX_VALUE} if every number gives another one. */
    int available(Listing listing);

    /** Whether another seed gives other images; scores on such splits carry the seed in the name of the split. */
    boolean random(Listing listing);

    /** The split with this number, which {@link #divide} has checked. */
    Partition cut(Listing listing, int number, Seed seed);

    default Partition divide(Listing listing, int number, Seed seed) {
        int available = available(listing);
        if (number < 1 || number > available) {
            throw new DatasetException("split must "
                    + (available == Integer.MAX_VALUE ? "be 1 or more" : "lie in 1.." + available) + " for " + name()
                    + " but is " + number);
        }
        return cut(listing, number, seed);
    }

    /** Its name for this listing, which names the fallback if there are no official lists. */
    default String nameFor(Listing listing) {
        return name();
    }

    /** The name of the split in scores: its number, and the seed if the split depends on it. */
    default String label(Listing listing, int number, Seed seed) {
        return random(listing) ? number + " of seed " + seed.value() : Integer.toString(number);
    }
}
