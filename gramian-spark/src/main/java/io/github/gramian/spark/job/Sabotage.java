package io.github.gramian.spark.job;

import org.jspecify.annotations.Nullable;

/**
 * For tests alone: ends the JVM at an image whose name contains a given word, as a crash in native code would. The word is in a
 * system property that nobody sets by accident.
 */
final class Sabotage {

    static final String KILLER = "gramian.spark.test.killer";

    private static final @Nullable String WORD = System.getProperty(KILLER);
    private static final int ABORTED = 134;

    private Sabotage() {}

    static void at(String name) {
        if (WORD != null && !WORD.isEmpty() && name.contains(WORD)) {
            Runtime.getRuntime().halt(ABORTED);
        }
    }
}
