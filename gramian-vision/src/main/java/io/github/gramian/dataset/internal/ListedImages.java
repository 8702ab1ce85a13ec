package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.internal.SplitRule.OfficialSplit;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Datasets in memory, from files and the names of their classes. */
public final class ListedImages {

    private static final String NAME = "list";

    private ListedImages() {}

    /** A random 80 % of each class for training. */
    public static Dataset divided(Map<Path, String> labels, long seed) {
        Path root = root(labels.keySet());
        List<String> classes = classes(labels.values());
        Listing listing = new Listing(classes, samples(root, labels, classes), List.of(), Groups.none(), List.of());
        return divide(root, listing, new Seed(seed));
    }

    /** Divided as given. */
    public static Dataset ofSplits(Map<Split, Map<Path, String>> labels) {
        Map<Path, String> all = new HashMap<>();
        labels.values()
                .forEach(part -> part.forEach((file, label) -> {
                    if (all.put(file, label) != null) {
                        throw new DatasetException(file + " is listed in two splits; keep one of its entries");
                    }
                }));
        Path root = root(all.keySet());
        List<String> classes = classes(all.values());
        List<Sample> samples = samples(root, all, classes);
        Map<String, Split> splitOfId = new HashMap<>();
        labels.forEach((split, part) -> part.keySet().forEach(file -> splitOfId.put(path(root, file), split)));
        Partition partition = Partition.of(samples, splitOfId);
        return divide(root, new Listing(classes, samples, List.of(partition), Groups.none(), List.of()), new Seed(0));
    }

    private static Dataset divide(Path root, Listing listing, Seed seed) {
        Protocol protocol = new Protocol(
                "standard",
                new OfficialSplit(),
                new Validation.Unchanged(),
                "your own split, or a random 80 % of each class for training");
        return DividedDataset.divide(NAME, root, listing, protocol, 1, seed);
    }

    private static List<String> classes(Collection<String> labels) {
        return List.copyOf(new TreeSet<>(labels));
    }

    private static List<Sample> samples(Path root, Map<Path, String> labels, List<String> classes) {
        List<Sample> samples = new ArrayList<>();
        labels.forEach((file, label) -> {
            String path = path(root, file);
            samples.add(new Sample(path, path, classes.indexOf(label)));
        });
        return samples;
    }

    private static String path(Path root, Path file) {
        return root.relativize(absolute(file)).toString().replace('\\', '/');
    }

    private static Path absolute(Path file) {
        return file.toAbsolutePath().normalize();
    }

    /** The deepest directory that holds all files. */
    private static Path root(Collection<Path> files) {
        Path common = null;
        for (Path file : files) {
            Path folder = absolute(file).getParent();
            while (common != null && folder != null && !folder.startsWith(common)) {
                Path above = common.getParent();
                if (above == null) {
                    throw new DatasetException(file + ": its file system root differs from that of the other images");
                }
                common = above;
            }
            common = common == null ? folder : common;
        }
        if (common == null) {
            throw new DatasetException("a dataset needs images");
        }
        return common;
    }
}
