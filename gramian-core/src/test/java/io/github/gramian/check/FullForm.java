package io.github.gramian.check;

/** Whether long proofs run in their long form: {@code mvn verify -Pfull}, or {@code -Dgramian.test.full=true}. */
public final class FullForm {

    private static final boolean ON = Boolean.getBoolean("gramian.test.full");

    private FullForm() {}

    public static boolean isOn() {
        return ON;
    }

    /** A number of rounds, images or kills: this many in the long form, otherwise few. */
    public static int rounds(int full, int otherwise) {
        return ON ? full : otherwise;
    }
}
