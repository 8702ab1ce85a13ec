package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.List;

/**
 * The test images of another split, and a few random images of each class for training and validation together, for
 * learning curves. With the same seed, more images contain the fewer ones, so that a curve over their number
 * adds images and does not exchange them.
 *
 * @param whole the split whose training and validation images are drawn from
 * @param images of each class
 */
public record FewPerClass(SplitRule whole, int images) implements SplitRule {

    public FewPerClass {
        if (images < 2) {
            throw new IllegalArgumentException(
                    "few images of a class are at least 2, one to train and one to validate, but are " + images);
        }
    }

    @Override
    public String name() {
        return "few-" + images;
    }

    @Override
    public String nameFor(Listing listing) {
        return images + " per class of " + whole.nameFor(listing);
    }

    @Override
    public int available(Listing listing) {
        return whole.available(listing);
    }

    @Override
    public boolean random(Listing listing) {
        return true;
    }

    @Override
    public Partition cut(Listing listing, int number, Seed seed) {
        Partition divided = whole.cut(listing, number, seed).mergingValidation();
        List<Sample> chosen = StratifiedSplit.draw(
                        divided.train(), Groups.none(), seed.child("few").child(number), this::checkedAgainst)
                .chosen();
        return new Partition(chosen, List.of(), divided.test());
    }

    private int checkedAgainst(int classSize) {
        if (classSize < images) {
            throw new DatasetException("a class has only " + classSize + " training images, but " + images
                    + " per class are required; "
                    + (classSize < 2
                            ? "add images to it, or choose another protocol"
                            : "choose protocol few-" + classSize + " or fewer"));
        }
        return images;
    }
}
