package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stratified random folds: number i tests on fold i and trains on the others, so that every image is tested once. */
public record Folds(int folds) implements SplitRule {

    public Folds {
        if (folds < 2) {
            throw new IllegalArgumentException("folds must be at least 2 but is " + folds);
        }
    }

    @Override
    public String name() {
        return folds + "-fold";
    }

    @Override
    public int available(Listing listing) {
        return folds;
    }

    @Override
    public boolean random(Listing listing) {
        return true;
    }

    @Override
    public Partition cut(Listing listing, int number, Seed seed) {
        if (!listing.groups().isEmpty()) {
            Map<String, Integer> foldOf =
                    GroupFolds.of(listing.samples(), listing.groups(), folds, seed.child("folds"));
            return Partition.testing(
                    listing.samples(), sample -> Integer.valueOf(number - 1).equals(foldOf.get(sample.id())));
        }
        Set<String> tests = new HashSet<>();
        for (StratifiedSplit stratum : StratifiedSplit.of(listing.samples(), seed.child("folds"))) {
            List<Sample> shuffled = stratum.shuffled();
            for (int i = number - 1; i < shuffled.size(); i += folds) {
                tests.add(shuffled.get(i).id());
            }
        }
        return Partition.testing(listing.samples(), sample -> tests.contains(sample.id()));
    }
}
