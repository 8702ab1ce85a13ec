package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
        samples = samples.stream().sorted(Comparator.comparing(Sample::path)).toList();
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
                throw new DatasetException(sample.path() + " has label " + sample.label() + " but there are only "
                        + classes.size() + " classes");
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
