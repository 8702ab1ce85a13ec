package io.github.gramian.io.internal;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Strings for messages and pages, and numbers in strings. */
public final class Text {

    private static final int MAX_WORD = 500;
    private static final int MAX_MESSAGE = 3000;
    private static final Pattern LONG_WORD = Pattern.compile("\\S{" + (MAX_WORD + 1) + ",}+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?");

    private Text() {}

    /**
     * A decimal number as people write it, such as 0.05 or 1e-3. Java's own reader also takes 0x1p-3, 1d, NaN and spaces.
     *
     * @throws NumberFormatException for any other string
     */
    public static double decimal(String text) {
        double value = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        if (!Double.isFinite(value)) {
            throw new NumberFormatException("'" + text + "' is not a decimal number, such as 0.05");
        }
        return value;
    }

    /** A pattern of {@link String#format} with values, the same in every locale. */
    @FormatMethod
    public static String format(@FormatString String pattern, @Nullable Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    /** A string of at most {@code max} characters; a longer one ends with an ellipsis. No character is cut in half. */
    public static String shortened(String text, int max) {
        return text.codePointCount(0, text.length()) <= max
                ? text
                : text.substring(0, text.offsetByCodePoints(0, max - 1)) + "…";
    }

    /** A message for people, whatever it quotes: long words are shortened, and so is the whole. */
    public static String message(String text) {
        String shorter =
                LONG_WORD.matcher(text).replaceAll(word -> Matcher.quoteReplacement(shortened(word.group(), MAX_WORD)));
        return shortened(shorter, MAX_MESSAGE);
    }

    /** The first line of a string; empty if it has none. */
    public static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** The first line of a failure's message, or the failure's kind if it has no message. */
    public static String firstLine(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : firstLine(message);
    }

    /** {@code 1 image}, {@code 1,200 images}, {@code 2 classes}. */
    public static String count(long value, String one) {
        String several = one.endsWith("ss") ? "es" : "s";
        return format("%,d %s%s", value, one, value == 1 ? "" : several);
    }

    /** Seconds for people: {@code 42 s}, {@code 5 min 7 s}, {@code 3 h 20 min}. */
    public static String duration(double seconds) {
        long whole = Math.round(seconds);
        if (whole < 60) {
            return whole + " s";
        }
        return whole < 3600
                ? whole / 60 + " min " + whole % 60 + " s"
                : whole / 3600 + " h " + whole % 3600 / 60 + " min";
    }
}
