package io.github.gramian.search.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.tensor.Seed;
import java.util.List;

/**
 * One version of all images at one size: as they are, or changed copies of them.
 *
 * @param views with the changes
 * @param seed of changes that are random
 * @param taps layers of the backbone whose output a candidate takes
 */
record ImageVersion(Preprocessing views, Seed seed, List<String> taps) {

    ImageVersion {
        taps = List.copyOf(taps);
    }

    /** Equal for versions that share features. */
    String key() {
        return views.identity() + " " + seed.value();
    }
}
