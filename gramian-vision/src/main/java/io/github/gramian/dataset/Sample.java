package io.github.gramian.dataset;

/**
 * One labelled image.
 *
 * @param id the dataset's own name for it (CUB's image number, otherwise its path), unique in the dataset
 * @param path relative to the dataset's root, with forward slashes on every platform
 * @param label index into the dataset's classes
 */
public record Sample(String id, String path, int label) {

    public Sample {
        if (id.isEmpty() || path.isEmpty()) {
            throw new IllegalArgumentException("a sample needs an id and a path");
        }
        if (label < 0) {
            throw new IllegalArgumentException("the label of " + path + " must be 0 or more but is " + label);
        }
    }
}
