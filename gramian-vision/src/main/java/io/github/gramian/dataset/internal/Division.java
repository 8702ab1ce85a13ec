package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.tensor.Seed;

/** How a listing becomes training and test images. Divisions are numbered from 1, as the datasets number theirs. */
public sealed interface Division
        permits OfficialDivision, RandomShare, RandomPerClass, FewPerClass, Folds, PhysicalSamples {

    /** Its name in reports and on the command line, such as {@code train-1-test-3}. */
    String name();

    /** How many divisions of this kind the listing has; {@link Integer#MAX_VALUE} if every number gives another one. */
    int available(Listing listing);

    /** Whether another seed gives other images; scores of such divisions carry the seed in their split's name. */
    boolean random(Listing listing);

    /** The division with this number, which {@link #divide} has checked. */
    Partition cut(Listing listing, int number, Seed seed);

    /** The division with this number. */
    default Partition divide(Listing listing, int number, Seed seed) {
        int available = available(listing);
        if (number < 1 || number > available) {
            throw new DatasetException("split must "
                    + (available == Integer.MAX_VALUE ? "be 1 or more" : "lie in 1.." + available) + " for " + name()
                    + " but is " + number);
        }
        return cut(listing, number, seed);
    }

    /** Its name for this listing, which says what really happened where there are no official lists. */
    default String nameFor(Listing listing) {
        return name();
    }

    /** What a score calls the division: its number, and the seed where that matters. */
    default String label(Listing listing, int number, Seed seed) {
        return random(listing) ? number + " of seed " + seed.value() : Integer.toString(number);
    }
}
