package io.github.gramian.dataset.internal;

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
}
