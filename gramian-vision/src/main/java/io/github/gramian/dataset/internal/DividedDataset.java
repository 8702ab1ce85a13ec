package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
}
