package io.github.gramian.train.ridge.internal;

import org.jspecify.annotations.Nullable;

/** The descriptors of the images of a fit, if they are stored. */
public final class FitDescriptors implements AutoCloseable {

    private @Nullable StoredDescriptors training;
    private @Nullable StoredDescriptors validation;

    FitDescriptors() {}

    /** Takes over those of the training images. */
    void storeTraining(@Nullable StoredDescriptors stored) {
        training = stored;
    }

    /** Takes over those of the validation images that selected the penalty. */
    void storeValidation(@Nullable StoredDescriptors stored) {
        validation = stored;
    }

    /** Those of the training images; null if they must be computed again. */
    @Nullable
    StoredDescriptors training() {
        return training;
    }

    /** Those of the validation images; null if they must be computed again. */
    @Nullable
    StoredDescriptors validation() {
        return validation;
    }

    /** Frees them. */
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
