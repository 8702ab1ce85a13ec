package io.github.gramian.serve.protocol;

/** Texts of strangers in messages. */
final class Texts {

    private static final int LONGEST = 64;

    private Texts() {}

    /** The beginning of a text, without characters that steer terminals or logs. */
    static String shortened(String text) {
        String start = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
        return start.replaceAll("\\p{Cntrl}", "?");
    }
}
