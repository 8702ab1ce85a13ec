package io.github.gramian.cli.chart;

import io.github.gramian.io.internal.Text;
import java.util.Locale;

/** Numbers as people read them, the same in every locale. A number that is not known is NaN and shows as a dash. */
public final class Numbers {

    private static final String UNKNOWN = "–";

    private Numbers() {}

    /** A fraction of 0–1 as a percentage with one digit. */
    public static String percent(double share) {
        return Double.isFinite(share) ? Text.format("%.1f %%", 100 * share) : UNKNOWN;
    }

    /** Three significant digits or so; very small and very large numbers with an exponent. */
    public static String compact(double value) {
        if (!Double.isFinite(value)) {
            return UNKNOWN;
        }
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        if (size < 1e-3 || size >= 1e6) {
            String text = Text.format("%.1e", value);
            int exponent = text.indexOf('e');
            return trimmed(text.substring(0, exponent)) + "e" + Integer.parseInt(text.substring(exponent + 1));
        }
        if (value == Math.rint(value)) {
            return Text.format("%,d", (long) value);
        }
        int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : 5;
        return trimmed(String.format(Locale.ROOT, "%." + digits + "f", value));
    }

    public static String count(long value) {
        return Text.format("%,d", value);
    }

    /** "1 image", "1,200 images". */
    public static String count(long value, String one) {
        return Text.count(value, one);
    }

    public static String seconds(double seconds) {
        if (!Double.isFinite(seconds)) {
            return UNKNOWN;
        }
        if (seconds < 10) {
            return compact(Math.rint(10 * seconds) / 10) + " s";
        }
        return Text.duration(seconds);
    }

    /** For SVG and CSS. */
    public static String coordinate(double value) {
        return trimmed(Text.format("%.1f", value));
    }

    private static String trimmed(String number) {
        if (number.indexOf('.') < 0) {
            return number;
        }
        int end = number.length();
        while (number.charAt(end - 1) == '0') {
            end--;
        }
        return number.substring(0, number.charAt(end - 1) == '.' ? end - 1 : end);
    }
}
