package io.github.gramian.cli.chart;

/** Builds a page. Trusted markup goes through {@link #raw}, untrusted text through {@link #text}. */
public final class Html {

    private final StringBuilder page = new StringBuilder();

    public Html raw(String markup) {
        page.append(markup);
        return this;
    }

    /** Adds text or the value of a quoted attribute, escaped. */
    public Html text(String text) {
        escape(text, page);
        return this;
    }

    /** Adds a number for a coordinate: at most one digit after the point, whatever the locale. */
    public Html number(double value) {
        page.append(Numbers.coordinate(value));
        return this;
    }

    /** Adds {@code  name="value"}, the value escaped. */
    public Html attribute(String name, String value) {
        page.append(' ').append(name).append("=\"");
        escape(value, page);
        page.append('"');
        return this;
    }

    public boolean isEmpty() {
        return page.isEmpty();
    }

    @Override
    public String toString() {
        return page.toString();
    }

    /** Escapes text so that it is valid in every place of a page: element content, quoted attributes, SVG. */
    public static String escape(String text) {
        StringBuilder harmless = new StringBuilder(text.length() + 16);
        escape(text, harmless);
        return harmless.toString();
    }

    private static void escape(String text, StringBuilder to) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> to.append("&amp;");
                case '<' -> to.append("&lt;");
                case '>' -> to.append("&gt;");
                case '"' -> to.append("&quot;");
                case '\'' -> to.append("&#39;");
                default -> to.append(isUnwelcome(c) ? '\uFFFD' : c);
            }
        }
    }

    /** Control characters, and those that reverse the reading direction of what follows them. */
    private static boolean isUnwelcome(char c) {
        boolean control = (c < ' ' && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
        return control || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    }
}
