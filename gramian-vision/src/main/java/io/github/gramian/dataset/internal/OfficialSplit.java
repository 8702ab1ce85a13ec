package io.github.gramian.dataset.internal;

import io.github.gramian.tensor.Seed;

/**
 * The dataset's own lists, or a random fraction for trees and manifests without any.
 *
 * @param otherwise what to do without lists
 */
public record OfficialSplit(RandomShare otherwise) implements SplitRule {

    /** Four fifths of each class are training images where there is no list. */
    public OfficialSplit() {
        this(new RandomShare(0.8));
    }

    @Override
    public String name() {
        return "official";
    }

    @Override
    public String nameFor(Listing listing) {
        return listing.official().isEmpty() ? otherwise.name() : name();
    }

    @Override
    public int available(Listing listing) {
        return listing.official().isEmpty()
                ? otherwise.available(listing)
                : listing.official().size();
    }

    @Override
    public boolean random(Listing listing) {
        return listing.official().isEmpty();
    }

    @Override
    public Partition cut(Listing listing, int number, Seed seed) {
        return listing.official().isEmpty()
                ? otherwise.cut(listing, number, seed)
                : listing.official().get(number - 1);
    }
}
