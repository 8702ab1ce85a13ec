package io.github.gramian.cli.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.github.gramian.io.internal.Text;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds HTML and SVG. Markup and templates are trusted; all values in them are escaped. */
public final class Html {

    private static final int MAX_CHARACTERS = 1_000;
    private static final Pattern TAG = Pattern.compile("\\{\\{([#^]?)(\\w+|\\.)(?:\\|(\\w+))?}}");

    private final StringBuilder page = new StringBuilder();

    /** Adds markup in which each {@code {}} stands for the next value: a decimal number is a coordinate, and others are escaped. */
    public Html add(String markup, Object... values) {
        int from = 0;
        for (Object value : values) {
            int at = markup.indexOf("{}", from);
            page.append(markup, from, at);
            escape(value instanceof Double number ? Numbers.coordinate(number) : value.toString(), page);
            from = at + 2;
        }
        page.append(markup, from, markup.length());
        return this;
    }

    @Override
    public String toString() {
        return page.toString();
    }

    /**
     * A page with style, script and data inside. A content security policy forbids every other script and style, and all
     * requests.
     *
     * @param template the name of its template, see {@link #fill}
     * @param drawn members of the data from which the script draws charts; a page without charts has no script
     */
    public static String page(String title, String template, ObjectNode data, String... drawn) {
        String style = resource("page.css");
        String script = resource("page.js");
        presentable(data);
        StringBuilder body = new StringBuilder();
        fill(resource(template).replace("{{>card}}", resource("card.html")), List.of(data), body);
        String program = "<script type=\"application/json\" id=\"data\">" + json(data.retain(drawn))
                + "</script>\n<script>" + script + "</script>";
        Map<String, String> slots = Map.of(
                "title", escape(title),
                "body", body.toString(),
                "program", drawn.length == 0 ? "" : program,
                "style", style,
                "styleDigest", digest(style),
                "scriptDigest", digest(script));
        return TAG.matcher(resource("page.html"))
                .replaceAll(slot -> Matcher.quoteReplacement(Objects.requireNonNull(slots.get(slot.group(2)))));
    }

    /**
     * Fills a template: {@code {{name}}} is a value, {@code {{name|format}}} a number in a format of {@link #shown}, and what
     * stands between {@code {{#name}}} and {@code {{/name}}} is repeated for each element of an array, or written once for any
     * other value but null, false and an empty string. With {@code {{^name}}}, it is written if there is no such value. Names
     * are looked up from the innermost element outwards; a point is the element itself.
     */
    private static void fill(String template, List<JsonNode> scopes, StringBuilder to) {
        Matcher tag = TAG.matcher(template);
        int from = 0;
        while (tag.find(from)) {
            to.append(template, from, tag.start());
            String name = tag.group(2);
            JsonNode value = scopes.stream()
                    .map(scope -> name.equals(".") ? scope : scope.path(name))
                    .filter(one -> !one.isMissingNode())
                    .findFirst()
                    .orElse(MissingNode.getInstance());
            from = tag.end();
            if (tag.group(1).isEmpty()) {
                escape(shown(value, tag.group(3)), to);
                continue;
            }
            int end = template.indexOf("{{/" + name + "}}", from);
            String inner = template.substring(from, end);
            from = end + name.length() + 5;
            if (tag.group(1).equals("^")) {
                fill(isNothing(value) ? inner : "", scopes, to);
            } else if (!isNothing(value)) {
                for (JsonNode element : value.isArray() ? value : List.of(value)) {
                    fill(
                            inner,
                            Stream.concat(Stream.of(element), scopes.stream()).toList(),
                            to);
                }
            }
        }
        to.append(template, from, template.length());
    }

    private static boolean isNothing(JsonNode value) {
        return switch (value.getNodeType()) {
            case MISSING, NULL -> true;
            case ARRAY -> value.isEmpty();
            case STRING -> value.textValue().isEmpty();
            case BOOLEAN -> !value.booleanValue();
            default -> false;
        };
    }

    /** A value for people. Any other format is the word for one of the things that are counted. */
    private static String shown(JsonNode value, @Nullable String format) {
        if (format == null) {
            return value.asText();
        }
        double number = value.isNumber() ? value.doubleValue() : Double.NaN;
        return switch (format) {
            case "percent" -> Numbers.percent(number);
            case "compact" -> Numbers.compact(number);
            case "seconds" -> Numbers.seconds(number);
            case "count" -> Numbers.count(value.longValue());
            case "two" -> Text.format("%.2f", number);
            case "floor4" -> Text.format("%.4f", Math.floor(number * 1e4) / 1e4);
            case "whole" -> String.valueOf(Math.round(100 * number));
            case "css" -> Numbers.coordinate(Double.isFinite(number) ? 100 * number : 0) + "%";
            default -> Numbers.count(value.longValue(), format);
        };
    }

    /** Numbers that are not finite become null, and strings other than pictures are cut to a sensible length. */
    private static JsonNode presentable(JsonNode value) {
        if (value.isTextual() && !value.textValue().startsWith("data:image/")) {
            return TextNode.valueOf(Text.shortened(value.textValue(), MAX_CHARACTERS));
        }
        if (value instanceof ObjectNode object) {
            object.properties().forEach(member -> member.setValue(presentable(member.getValue())));
        } else if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, presentable(array.get(i)));
            }
        }
        return value.isFloatingPointNumber() && !Double.isFinite(value.doubleValue()) ? NullNode.getInstance() : value;
    }

    /** JSON that cannot end the element that holds it. */
    private static String json(JsonNode value) {
        StringBuilder harmless = new StringBuilder();
        for (char c : value.toString().toCharArray()) {
            switch (c) {
                case '<', '>', '&', '\'' -> harmless.append(Text.format("\\u%04x", (int) c));
                default -> harmless.append(isUnwelcome(c) ? '\uFFFD' : c);
            }
        }
        return harmless.toString();
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(
                Html.class.getResourceAsStream(name), () -> name + " is missing from the program's own files")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name + " cannot be read from the program's own files", e);
        }
    }

    private static String digest(String content) {
        try {
            byte[] bytes = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
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
