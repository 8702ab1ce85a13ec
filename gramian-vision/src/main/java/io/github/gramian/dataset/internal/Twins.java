package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Test images whose bytes equal those of a training or validation image. A model has seen such images before the test.
 *
 * @param ofTraining paths of the test images that equal a training image
 * @param ofValidation paths of the other test images that equal a validation image
 */
public record Twins(List<String> ofTraining, List<String> ofValidation) {

    public Twins {
        ofTraining = List.copyOf(ofTraining);
        ofValidation = List.copyOf(ofValidation);
    }

    /**
     * Finds the twins of a dataset's split.
     *
     * @param sums SHA-256 of each file, in the order of the dataset's samples; empty for a file that cannot be read, which
     *     is not a twin of any other
     */
    public static Twins of(Dataset dataset, List<Optional<String>> sums) {
        Map<String, String> sumOfId = new HashMap<>();
        for (int i = 0; i < sums.size(); i++) {
            String id = dataset.samples().get(i).id();
            sums.get(i).ifPresent(sum -> sumOfId.put(id, sum));
        }
        Set<String> training = contents(dataset, Split.TRAIN, sumOfId);
        Set<String> validation = contents(dataset, Split.VALIDATION, sumOfId);
        List<String> ofTraining = new ArrayList<>();
        List<String> ofValidation = new ArrayList<>();
        for (Sample sample : dataset.samples(Split.TEST)) {
            String sum = sumOfId.get(sample.id());
            if (sum != null && training.contains(sum)) {
                ofTraining.add(sample.path());
            } else if (sum != null && validation.contains(sum)) {
                ofValidation.add(sample.path());
            }
        }
        return new Twins(ofTraining, ofValidation);
    }

    private static Set<String> contents(Dataset dataset, Split split, Map<String, String> sumOfId) {
        Set<String> contents = new HashSet<>();
        for (Sample sample : dataset.samples(split)) {
            String sum = sumOfId.get(sample.id());
            if (sum != null) {
                contents.add(sum);
            }
        }
        return contents;
    }

    /** Number of test images that have a twin. */
    public int count() {
        return ofTraining.size() + ofValidation.size();
    }

    /** Paths of all test images that have a twin. */
    public Set<String> paths() {
        Set<String> paths = new HashSet<>(ofTraining);
        paths.addAll(ofValidation);
        return paths;
    }
}
