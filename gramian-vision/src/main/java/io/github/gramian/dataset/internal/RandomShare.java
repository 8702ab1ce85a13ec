package io.github.gramian.dataset.internal;

import io.github.gramian.tensor.Seed;
import java.util.List;

/** A stratified random fraction of every class for training, the rest for testing; every split number is another draw. */
public record RandomShare(double trainingShare) implements SplitRule {

    public RandomShare {
        if (!(trainingShare > 0 && trainingShare < 1)) {
            throw new IllegalArgumentException(
                    "trainingShare must lie between 0 and 1 but is " + trainingShare + "; 0.8 is common");
        }
    }

    @Override
    public String name() {
        long percent = Math.round(trainingShare * 100);
        return "random-" + percent + "-" + (100 - percent);
    }

    @Override
    public int available(Listing listing) {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean random(Listing listing) {
        return true;
    }

    @Override
    public Partition cut(Listing listing, int number, Seed seed) {
        StratifiedSplit.Draw draw = StratifiedSplit.share(
                listing.samples(),
                listing.groups(),
                trainingShare,
                seed.child("division").child(number));
        return new Partition(draw.chosen(), List.of(), draw.rest());
    }
}
