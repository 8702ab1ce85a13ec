package io.github.gramian.dataset;

import java.util.Locale;
import java.util.Optional;

/** The use of an image of a dataset: training, validation or test. */
public enum Split {
    TRAIN("train"),
    VALIDATION("val"),
    TEST("test");

    private final String key;

    Split(String key) {
        this.key = key;
    }

    /** Its short name in files and reports: {@code train}, {@code val}, {@code test}. */
    public String key() {
        return key;
    }

    /** The split that people mean by a word: {@code val}, {@code valid}, {@code validation} and {@code dev} are one. */
    public static Optional<Split> known(String word) {
        return switch (word.strip().toLowerCase(Locale.ROOT)) {
            case "train", "training" -> Optional.of(TRAIN);
            case "val", "valid", "validation", "dev" -> Optional.of(VALIDATION);
            case "test", "testing" -> Optional.of(TEST);
            default -> Optional.empty();
        };
    }
}
