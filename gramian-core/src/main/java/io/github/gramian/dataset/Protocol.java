package io.github.gramian.dataset;

import io.github.gramian.tensor.Seed;

/**
 * An agreed way to measure on a dataset: what trains, what tests, how an image is looked at, over how many runs a score
 * is averaged. Two scores are comparable only under the same one.
 *
 * @param name {@code paper}, {@code standard}, or another that the layout offers
 * @param division what trains and what tests
 * @param validation what happens to validation images
 * @param views resolution and crops
 * @param runs how many splits a published score averages over
 * @param summary in words, for people
 */
public record Protocol(String name, Division division, Validation validation, Views views, int runs, String summary) {

    public Protocol {
        if (runs < 1) {
            throw new IllegalArgumentException("runs must be at least 1 but is " + runs);
        }
    }

    /** The same with another treatment of validation images. */
    public Protocol withValidation(Validation changed) {
        return new Protocol(name, division, changed, views, runs, summary);
    }

    /** The images of the split with this number, counted from 1. */
    public Partition partition(Listing listing, int number, Seed seed) {
        return validation.apply(division.divide(listing, number, seed), seed.child(number));
    }

    /** What was done for the split with this number, for passports: {@code standard (official, train+val)}. */
    public String describe(Listing listing, int number, Seed seed) {
        Partition divided = division.divide(listing, number, seed);
        return name + " (" + division.nameFor(listing) + ", " + validation.describe(divided) + ")";
    }
}
