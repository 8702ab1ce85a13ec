package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import io.github.gramian.tensor.Seed;

/**
 * A published way to split a dataset into training and test images. Two scores are comparable only under the same one, and
 * with the same image size and crops, which the recipe sets.
 *
 * @param name {@code paper}, {@code standard}, or another that the layout offers
 * @param rule how images are split into training and test images
 * @param validation what happens to validation images
 * @param summary in words, for people
 */
public record Protocol(String name, SplitRule rule, Validation validation, String summary) {

    /** The paper's, for datasets of textures without official splits. */
    public static Protocol paperTextures() {
        return new Protocol(
                "paper",
                new SplitRule.Folds(3),
                new Validation.Unchanged(),
                "the paper's treatment of textures: random thirds, two train and one tests");
    }

    /** The same with another treatment of validation images. */
    public Protocol withValidation(Validation changed) {
        return new Protocol(name, rule, changed, summary);
    }

    /** The images of the split with this number, counted from 1. */
    public Partition partition(Listing listing, int number, Seed seed) {
        return validation.apply(rule.divide(listing, number, seed), listing.groups(), seed.child(number));
    }

    /** A description of the split with this number, for evaluation protocols: {@code standard (official, train+val)}. */
    public String describe(Listing listing, int number, Seed seed) {
        Partition divided = rule.divide(listing, number, seed);
        String groups = listing.groups().describe(listing.samples(), divided);
        return name + " (" + rule.nameFor(listing) + ", " + validation.describe(divided) + groups + ")";
    }

    /** Where validation images come from: left as they are, added to the training images, or held out of the training images. */
    public sealed interface Validation {

        /** Applies the choice, without dividing a group; random choices depend only on the seed. */
        Partition apply(Partition partition, Groups groups, Seed seed);

        /**
         * What was done, for reports.
         *
         * @param divided what the choice was applied to
         */
        String describe(Partition divided);

        /** As the split left it, possibly with no validation images at all. */
        record Unchanged() implements Validation {
            @Override
            public Partition apply(Partition partition, Groups groups, Seed seed) {
                return partition;
            }

            @Override
            public String describe(Partition divided) {
                return "val kept";
            }
        }

        /** Validation images are added to the training images, as in most published tables. */
        record Merged() implements Validation {
            @Override
            public Partition apply(Partition partition, Groups groups, Seed seed) {
                return partition.mergingValidation();
            }

            @Override
            public String describe(Partition divided) {
                return "train+val";
            }
        }

        /**
         * A stratified fraction of the training images is held out for validation; where the dataset has validation images,
         * those are used instead.
         *
         * @param share of the training images, more than 0 and less than 1
         */
        record Carved(double share) implements Validation {

            public Carved {
                if (!(share > 0 && share < 1)) {
                    throw new IllegalArgumentException(
                            "the validation share must lie between 0 and 1 but is " + share + "; 0.1 is common");
                }
            }

            @Override
            public Partition apply(Partition partition, Groups groups, Seed seed) {
                return partition.validation().isEmpty() ? partition.carvingValidation(share, groups, seed) : partition;
            }

            @Override
            public String describe(Partition divided) {
                return divided.validation().isEmpty()
                        ? "val " + share + " of train"
                        : new Unchanged().describe(divided);
            }
        }
    }
}
