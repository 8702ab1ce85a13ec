package io.github.gramian.image.codec;

/** Thrown by the parsers of this package; the decoder turns it into {@link Decoded.Rejected}. */
final class Refusal extends Exception {

    private final Rejection reason;

    Refusal(Rejection reason, String detail) {
        // Refusals are normal results for hostile input: no stack trace, which would be most of their cost.
        super(detail, null, false, false);
        this.reason = reason;
    }

    static Refusal corrupt(String detail) {
        return new Refusal(Rejection.CORRUPT, detail);
    }

    static Refusal truncated(String detail) {
        return new Refusal(Rejection.TRUNCATED, detail);
    }

    static Refusal unsupported(String detail) {
        return new Refusal(Rejection.UNSUPPORTED, detail);
    }

    Decoded.Rejected asValue() {
        return new Decoded.Rejected(reason, String.valueOf(getMessage()));
    }
}
