package io.github.gramian.dataset;

import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.Partition;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Images with labels, divided into training, validation and test images.
 *
 * @param name the layout's, such as {@code dtd}
 * @param root the folder that samples' paths start from
 * @param listing everything the tree holds
 * @param protocol by which it was divided
 * @param splitNumber which of the protocol's splits this is, from 1
 * @param seed of everything random in the division
 * @param partition the division itself
 */
public record Dataset(
        String name, Path root, Listing listing, Protocol protocol, int splitNumber, Seed seed, Partition partition) {

    /** Divides a listing. */
    public static Dataset divide(
            String name, Path root, Listing listing, Protocol protocol, int splitNumber, Seed seed) {
        return new Dataset(
                name, root, listing, protocol, splitNumber, seed, protocol.partition(listing, splitNumber, seed));
    }

    /** Names of the classes; a label is an index into them. */
    public List<String> classes() {
        return listing.classes();
    }

    /** All samples, by path. */
    public List<Sample> samples() {
        return listing.samples();
    }

    /** The samples of one split, by path. */
    public List<Sample> samples(Split split) {
        return partition.samples(split);
    }

    /** Where a sample's file is. */
    public Path file(Sample sample) {
        return FileNames.within(root, sample.path());
    }

    /** Images in each split, under the keys {@code train}, {@code val} and {@code test}. */
    public Map<String, Integer> counts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Split split : Split.values()) {
            counts.put(split.key(), samples(split).size());
        }
        return counts;
    }

    /** The protocol by which it was divided, and what that meant for these images. */
    public String describeProtocol() {
        return protocol.describe(listing, splitNumber, seed);
    }

    /** The part of the evaluation protocol that is known before a network is chosen. */
    public EvaluationProtocol passport(ContentHash hash) {
        return EvaluationProtocol.ofData(
                        name,
                        hash.sha256(),
                        describeProtocol(),
                        protocol.division().label(listing, splitNumber, seed),
                        counts())
                .withSeed(seed.value());
    }
}
