package io.github.gramian.image.codec;

import java.util.function.BooleanSupplier;

/** Whether the caller no longer wants the image. Decoders check it at least once per row of pixels where they can. */
final class Cancellation {

    static final Cancellation NEVER = new Cancellation(() -> false);

    private final BooleanSupplier cancelled;

    Cancellation(BooleanSupplier cancelled) {
        this.cancelled = cancelled;
    }

    boolean isRequested() {
        return cancelled.getAsBoolean();
    }

    /** Passes, or ends decoding. */
    void check() throws Refusal {
        if (isRequested()) {
            throw new Refusal(Rejection.CANCELLED, "");
        }
    }
}
