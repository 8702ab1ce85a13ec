package io.github.gramian.lab.page;

import java.util.Locale;

/** Strings of pages. What comes from files of results neither ends a cell, nor links, nor is HTML. */
final class Markdown {

    private Markdown() {}

    static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    /** In a sentence, a heading or a cell. */
    static String text(String text) {
        return plain(text)
                .replaceAll("[\\\\`|\\[\\]]", "\\\\$0")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }

    /** Between backquotes, where nothing else has a meaning. */
    static String code(String text) {
        return "`" + plain(text).replace('`', '\'').replace("|", "\\|") + "`";
    }

    /** On one line, without characters that cannot be seen or that turn the direction of writing around. */
    static String plain(String text) {
        return text.replaceAll("[\\p{Cc}\\u2028\\u2029\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]+", " ");
    }
}
