package io.github.gramian.studio.project.internal;

/** Features are still being computed, or could not be. */
public final class NotReadyException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NotReadyException() {
        super("features are not computed yet; labels can be given already");
    }
}
