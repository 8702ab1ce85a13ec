package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.tensor.Seed;
import java.util.List;

/** A fixed number of random training images of every class, the rest are test images; every split number is another draw. */
public record RandomPerClass(int trainingImages) implements SplitRule {

    public RandomPerClass {
        if (trainingImages < 1) {
            throw new IllegalArgumentException("trainingImages must be at least 1 but is " + trainingImages);
        }
    }

    @Override
    public String name() {
        return "random-" + trainingImages + "-per-class";
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
        StratifiedSplit.Draw draw = StratifiedSplit.draw(
                listing.samples(), listing.groups(), seed.child("division").child(number), this::checkedAgainst);
        return new Partition(draw.chosen(), List.of(), draw.rest());
    }

    private int checkedAgainst(int classSize) {
        if (classSize <= trainingImages) {
            throw new DatasetException("a class has only " + classSize + " images, but " + trainingImages
                    + " of each are to train and some to test; complete the dataset or use another protocol");
        }
        return trainingImages;
    }
}
