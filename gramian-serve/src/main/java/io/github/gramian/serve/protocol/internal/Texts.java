package io.github.gramian.serve.protocol.internal;

import io.github.gramian.io.internal.Text;

/** Untrusted strings in messages. */
final class Texts {

    private static final int LONGEST = 64;

    private Texts() {}

    /** The beginning of a text, without characters that steer terminals or logs. */
    static String shortened(String text) {
        return Text.shortened(text, LONGEST).replaceAll("\\p{Cntrl}", "?");
    }
}
