package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Seed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** How a listing is split into training and test images. Splits are numbered from 1, as the datasets number theirs. */
public sealed interface SplitRule {

    /** Its name in reports and on the command line, such as {@code train-1-test-3}. */
    String name();

    /** Number of splits of this kind that the listing has; {@link Integer#MAX_VALUE} if every number gives another one. */
    default int available(Listing listing) {
        return Integer.MAX_VALUE;
    }

    /** Whether another seed gives other images; scores on such splits carry the seed in the name of the split. */
    default boolean random(Listing listing) {
        return true;
    }

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

    /**
     * The dataset's own lists, or a random fraction for trees and manifests without any.
     *
     * @param otherwise what to do without lists
     */
    record OfficialSplit(RandomShare otherwise) implements SplitRule {

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

    /** A stratified random fraction of every class for training, the rest for testing; every split number is another draw. */
    record RandomShare(double trainingShare) implements SplitRule {

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
        public Partition cut(Listing listing, int number, Seed seed) {
            Strata.Draw draw = Strata.share(
                    listing.samples(),
                    listing.groups(),
                    trainingShare,
                    seed.child("division").child(number));
            return new Partition(draw.chosen(), List.of(), draw.rest());
        }
    }

    /** A fixed number of random training images of every class, the rest are test images; every split number is another draw. */
    record RandomPerClass(int trainingImages) implements SplitRule {

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
        public Partition cut(Listing listing, int number, Seed seed) {
            Strata.Draw draw = Strata.draw(
                    listing.samples(), listing.groups(), seed.child("division").child(number), this::checkedAgainst);
            return new Partition(draw.chosen(), List.of(), draw.rest());
        }

        private int checkedAgainst(int classSize) {
            if (classSize <= trainingImages) {
                throw new DatasetException("a class has only " + Text.count(classSize, "image") + ", but "
                        + trainingImages
                        + " of each are to train and some to test; complete the dataset or use another protocol");
            }
            return trainingImages;
        }
    }

    /**
     * The test images of another split, and a few random images of each class for training and validation together, for
     * learning curves. With the same seed, more images contain the fewer ones, so that a curve over their number
     * adds images and does not exchange them.
     *
     * @param whole the split whose training and validation images are drawn from
     * @param images of each class
     */
    record FewPerClass(SplitRule whole, int images) implements SplitRule {

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
        public Partition cut(Listing listing, int number, Seed seed) {
            Partition divided = whole.cut(listing, number, seed).mergingValidation();
            List<Sample> chosen = Strata.draw(
                            divided.train(), Groups.none(), seed.child("few").child(number), this::checkedAgainst)
                    .chosen();
            return new Partition(chosen, List.of(), divided.test());
        }

        private int checkedAgainst(int classSize) {
            if (classSize < images) {
                throw new DatasetException("a class has only " + Text.count(classSize, "training image") + ", but "
                        + images + " per class are required; "
                        + (classSize < 2
                                ? "add images to it, or choose another protocol"
                                : "choose protocol few-" + classSize + " or fewer"));
            }
            return images;
        }
    }

    /** Stratified random folds: number i tests on fold i and trains on the others, so that every image is tested once. */
    record Folds(int folds) implements SplitRule {

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
        public Partition cut(Listing listing, int number, Seed seed) {
            Seed own = seed.child("folds");
            if (!listing.groups().isEmpty()) {
                Map<String, Integer> foldOf = Strata.groupFolds(listing.samples(), listing.groups(), folds, own);
                return Partition.testing(
                        listing.samples(), sample -> Integer.valueOf(number - 1).equals(foldOf.get(sample.id())));
            }
            Set<String> tests = new HashSet<>();
            for (List<Sample> shuffled : Strata.shuffledClasses(listing.samples(), own)) {
                for (int i = number - 1; i < shuffled.size(); i += folds) {
                    tests.add(shuffled.get(i).id());
                }
            }
            return Partition.testing(listing.samples(), sample -> tests.contains(sample.id()));
        }
    }

    /**
     * By physical sample (a piece of cork, another piece of cork), so that no piece is both trained on and tested on. Number
     * i singles out the i-th of four samples.
     *
     * @param trainingSamples 1: train on that sample, test on the other three; 3: test on that sample, train on the other three
     */
    record PhysicalSamples(int trainingSamples) implements SplitRule {

        private static final int SAMPLES = 4;

        public PhysicalSamples {
            if (trainingSamples != 1 && trainingSamples != SAMPLES - 1) {
                throw new IllegalArgumentException("trainingSamples must be 1 or 3 but is " + trainingSamples);
            }
        }

        /** The name of a group that is a physical sample of a class. */
        public static String group(int label, String sample) {
            return label + " " + sample;
        }

        private static String inClass(String group) {
            return group.substring(group.indexOf(' ') + 1);
        }

        @Override
        public String name() {
            return "train-" + trainingSamples + "-test-" + (SAMPLES - trainingSamples);
        }

        @Override
        public int available(Listing listing) {
            return SAMPLES;
        }

        @Override
        public boolean random(Listing listing) {
            return false;
        }

        @Override
        public Partition cut(Listing listing, int number, Seed seed) {
            Map<String, String> pieces = new HashMap<>();
            listing.groups().names().forEach((id, group) -> pieces.put(id, inClass(group)));
            List<String> groups = List.copyOf(new TreeSet<>(pieces.values()));
            if (groups.size() != SAMPLES) {
                throw new DatasetException(name() + " needs four samples of every material but found " + groups
                        + "; complete the dataset");
            }
            String apart = groups.get(number - 1);
            Predicate<Sample> isApart = sample -> apart.equals(pieces.get(sample.id()));
            return Partition.testing(listing.samples(), trainingSamples == 1 ? isApart.negate() : isApart);
        }
    }
}
