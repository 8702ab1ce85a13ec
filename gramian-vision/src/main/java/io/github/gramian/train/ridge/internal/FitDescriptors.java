package io.github.gramian.train.ridge.internal;

import io.github.gramian.train.descriptor.internal.Descriptors;
import org.jspecify.annotations.Nullable;

/** The descriptors of the images of a fit, if they are stored. */
public final class FitDescriptors implements AutoCloseable {

    private Descriptors.@Nullable Stored training;
    private Descriptors.@Nullable Stored validation;

    FitDescriptors() {}

    /** Takes over those of the training images. */
    void storeTraining(Descriptors.@Nullable Stored stored) {
        training = stored;
    }

    /** Takes over those of the validation images that selected the penalty. */
    void storeValidation(Descriptors.@Nullable Stored stored) {
        validation = stored;
    }

    /** Those of the training images; null if they must be computed again. */
    Descriptors.@Nullable Stored training() {
        return training;
    }

    /** Those of the validation images; null if they must be computed again. */
    Descriptors.@Nullable Stored validation() {
        return validation;
    }

    @Override
    public void close() {
        if (training != null) {
            training.close();
            training = null;
        }
        if (validation != null) {
            validation.close();
            validation = null;
        }
    }
}
