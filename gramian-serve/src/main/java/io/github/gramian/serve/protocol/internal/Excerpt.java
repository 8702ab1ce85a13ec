package io.github.gramian.serve.protocol.internal;

import io.github.gramian.io.internal.Text;

/** Excerpts of untrusted strings, for messages. */
final class Excerpt {

    private static final int MAX_LENGTH = 64;

    private Excerpt() {}

    /** The beginning of a string, without characters that control terminals or logs. */
    static String shortened(String string) {
        return Text.shortened(string, MAX_LENGTH).replaceAll("\\p{Cntrl}", "?");
    }
}
