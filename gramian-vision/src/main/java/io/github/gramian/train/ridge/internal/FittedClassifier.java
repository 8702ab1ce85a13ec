package io.github.gramian.train.ridge.internal;

/**
 * The result of a fit, with the descriptors that it was computed from, for the fit to all images that may follow. Closing it
 * frees the descriptors; it may be closed several times.
 *
 * @param applied what was chosen
 * @param descriptors that are stored; none if a trained classifier is used
 */
public record FittedClassifier(ClassifierFit.Applied applied, FitDescriptors descriptors) implements AutoCloseable {

    @Override
    public void close() {
        descriptors.close();
    }
}
