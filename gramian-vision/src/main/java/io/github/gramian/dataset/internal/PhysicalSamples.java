package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * By physical sample (a piece of cork, another piece of cork), so that no piece is both trained on and tested on. Number
 * i singles out the i-th of four samples.
 *
 * @param trainingSamples 1: train on that sample, test on the other three; 3: test on that sample, train on the other three
 */
public record PhysicalSamples(int trainingSamples) implements SplitRule {

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
            throw new DatasetException(
                    name() + " needs four samples of every material but found " + groups + "; complete the dataset");
        }
        String apart = groups.get(number - 1);
        Predicate<Sample> isApart = sample -> apart.equals(pieces.get(sample.id()));
        return Partition.testing(listing.samples(), trainingSamples == 1 ? isApart.negate() : isApart);
    }
}
