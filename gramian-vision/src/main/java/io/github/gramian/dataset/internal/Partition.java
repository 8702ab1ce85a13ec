package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Training, validation and test samples. Each list is in the order of the samples' paths, and no sample is in two
 * of them; a sample of the dataset may be in none.
 */
public record Partition(List<Sample> train, List<Sample> validation, List<Sample> test) {

    private static final Comparator<Sample> BY_PATH = Comparator.comparing(Sample::path);

    public Partition {
        train = train.stream().sorted(BY_PATH).toList();
        validation = validation.stream().sorted(BY_PATH).toList();
        test = test.stream().sorted(BY_PATH).toList();
        Set<String> seen = new HashSet<>();
        for (List<Sample> part : List.of(train, validation, test)) {
            for (Sample sample : part) {
                if (!seen.add(sample.id())) {
                    throw new DatasetException(sample.path()
                            + " is listed in two of train, val and test (or twice in one); keep one of its entries");
                }
            }
        }
    }

    /** Sorts samples into splits by an assignment; samples that it does not mention are left out. */
    public static Partition of(Collection<Sample> samples, Map<String, Split> splitOfId) {
        return new Partition(
                pick(samples, splitOfId, Split.TRAIN),
                pick(samples, splitOfId, Split.VALIDATION),
                pick(samples, splitOfId, Split.TEST));
    }

    private static List<Sample> pick(Collection<Sample> samples, Map<String, Split> splitOfId, Split split) {
        return samples.stream()
                .filter(sample -> splitOfId.get(sample.id()) == split)
                .toList();
    }

    /** Samples that a rule picks are test samples, all others training samples. */
    public static Partition testing(Collection<Sample> samples, Predicate<Sample> isTest) {
        return new Partition(
                samples.stream().filter(isTest.negate()).toList(),
                List.of(),
                samples.stream().filter(isTest).toList());
    }

    public List<Sample> samples(Split split) {
        return switch (split) {
            case TRAIN -> train;
            case VALIDATION -> validation;
            case TEST -> test;
        };
    }

    /** The same test set, with the validation images among the training images. */
    public Partition mergingValidation() {
        List<Sample> merged = new ArrayList<>(train);
        merged.addAll(validation);
        return new Partition(merged, List.of(), test);
    }

    /**
     * The same test set, with a stratified fraction of the training images held out for validation, without dividing a group.
     * Where a class of a published dataset trains on a single physical sample, its images are divided.
     */
    public Partition carvingValidation(double share, Groups groups, Seed seed) {
        Groups undivided = groups.given() || groups.severalPerClass(train) ? groups : Groups.none();
        StratifiedSplit.Draw draw = StratifiedSplit.share(train, undivided, 1 - share, seed.child("validation"));
        return new Partition(draw.chosen(), draw.rest(), test);
    }
}
