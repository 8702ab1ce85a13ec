package io.github.gramian.io.internal;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Prints text with untrusted parts: names of files and classes, metadata, messages. Characters that would control a terminal, hide or
 * reverse the characters after them, or forge a line are shown as JSON escapes. So are characters that the terminal's
 * encoding lacks. A string given to {@code println} is one line, and line breaks within it are shown; one given to {@code
 * print} may have several lines.
 */
public final class TerminalWriter extends PrintWriter {

    private static final String EMOJI = "\uD83D\uDE00";

    private final Charset charset;
    private final boolean complete;

    /** @param charset that the writer encodes with */
    public TerminalWriter(Writer out, Charset charset) {
        super(out, true);
        this.charset = charset;
        this.complete = charset.newEncoder().canEncode(EMOJI);
    }

    @Override
    public void println(String line) {
        super.println(shown(String.valueOf(line), c -> c == '\n' || c == '\r' || c == '\t' || isUnsafe(c)));
    }

    @Override
    public void println(Object line) {
        println(String.valueOf(line));
    }

    @Override
    public void write(String text, int from, int count) {
        String part = text.substring(from, from + count);
        String shown = shown(part, TerminalWriter::isUnsafe);
        super.write(shown, 0, shown.length());
    }

    @Override
    public void write(char[] text, int from, int count) {
        write(new String(text, from, count), 0, count);
    }

    @Override
    public void write(int character) {
        write(Character.toString((char) character), 0, 1);
    }

    /** Control characters but for line breaks and tabs; line separators; marks that change the direction of writing. */
    private static boolean isUnsafe(int c) {
        return switch (c) {
            case '\n', '\t' -> false;
            case '\r' -> !System.lineSeparator().equals("\r\n");
            case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF -> true;
            default -> Character.isISOControl(c) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
        };
    }

    private String shown(String text, IntPredicate unsafe) {
        if (text.chars().allMatch(c -> c < 0x7F && !unsafe.test(c))) {
            return text;
        }
        CharsetEncoder encoder = charset.newEncoder();
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean missing = !complete && (Character.isSurrogate(c) || !encoder.canEncode(c));
            shown.append(missing || unsafe.test(c) ? escape(c) : Character.toString(c));
        }
        return shown.toString();
    }

    private static String escape(char c) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, "\\u%04x", (int) c);
        };
    }
}
