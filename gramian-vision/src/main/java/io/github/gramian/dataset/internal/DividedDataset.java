package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Images with labels, split into training, validation and test images.
 *
 * @param name the layout's, such as {@code dtd}
 * @param root the folder that samples' paths start from
 * @param listing everything the tree holds
 * @param protocol by which it was split
 * @param splitNumber which of the protocol's splits this is, from 1
 * @param seed random seed of the split
 * @param partition the split itself
 */
public record DividedDataset(
        String name, Path root, Listing listing, Protocol protocol, int splitNumber, Seed seed, Partition partition)
        implements Dataset {

    /** The internal view of a dataset. */
    public static DividedDataset of(Dataset dataset) {
        if (dataset instanceof DividedDataset divided) {
            return divided;
        }
        throw new IllegalArgumentException("build a dataset with Dataset.of, or read it with DataConfig.open");
    }

    public static DividedDataset divide(
            String name, Path root, Listing listing, Protocol protocol, int splitNumber, Seed seed) {
        return new DividedDataset(
                name, root, listing, protocol, splitNumber, seed, protocol.partition(listing, splitNumber, seed));
    }

    @Override
    public List<String> classes() {
        return listing.classes();
    }

    @Override
    public List<Sample> samples() {
        return listing.samples();
    }

    @Override
    public List<Sample> samples(Split split) {
        return partition.samples(split);
    }

    @Override
    public Path file(Sample sample) {
        return FileNames.within(root, sample.path());
    }

    @Override
    public Map<String, Integer> counts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Split split : Split.values()) {
            counts.put(split.key(), samples(split).size());
        }
        return counts;
    }

    @Override
    public String describeProtocol() {
        return protocol.describe(listing, splitNumber, seed);
    }

    /** The part of the evaluation protocol that is known before a network is chosen. */
    public EvaluationProtocol evaluationProtocol(ContentHash hash) {
        return EvaluationProtocol.ofData(
                        name,
                        hash.sha256(),
                        describeProtocol(),
                        protocol.rule().label(listing, splitNumber, seed),
                        counts())
                .withSeed(seed.value());
    }

    /**
     * What a layout found in a tree, before it is divided into training and test images.
     *
     * @param classes in official order, otherwise sorted
     * @param samples sorted by path
     * @param official the splits that the dataset's own files describe, in their own numbering; empty if there are none
     * @param groups images that belong together
     * @param skipped files among the images whose names are not those of images
     */
    public record Listing(
            List<String> classes, List<Sample> samples, List<Partition> official, Groups groups, List<String> skipped) {

        public Listing {
            classes = List.copyOf(classes);
            samples =
                    samples.stream().sorted(Comparator.comparing(Sample::path)).toList();
            official = List.copyOf(official);
            skipped = skipped.stream().sorted().toList();
            if (samples.isEmpty()) {
                throw new DatasetException("no images were found; check the root directory");
            }
            Set<String> ids = new HashSet<>();
            for (Sample sample : samples) {
                if (!ids.add(sample.id())) {
                    throw new DatasetException("two images have the id " + sample.id() + "; each may be listed once");
                }
                if (sample.label() >= classes.size()) {
                    throw new DatasetException(sample.path() + " has label " + sample.label()
                            + " but the dataset has only " + Text.count(classes.size(), "class"));
                }
            }
        }

        /**
         * The same with groups whose names are part of the paths of the files.
         *
         * @param pattern a regular expression whose first capture group is the name
         */
        public Listing groupedBy(String pattern) {
            if (!groups.isEmpty()) {
                throw new DatasetException((groups.given() ? groups.source() : "the layout of the dataset")
                        + " names the groups already; leave out the pattern " + pattern);
            }
            return new Listing(classes, samples, official, Groups.ofPaths(samples, pattern), skipped);
        }
    }

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
                        throw new DatasetException(
                                sample.path()
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
            Strata.Draw draw = Strata.share(train, undivided, 1 - share, seed.child("validation"));
            return new Partition(draw.chosen(), draw.rest(), test);
        }
    }
}
