package io.github.gramian.json.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.io.internal.Text;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * JSON as all modules write and read it. Members are written in the order of a record's components or of a map's iteration,
 * so that equal values give equal bytes; give maps with a defined order. Reading ignores members that it does not know, since
 * a newer version may have added them, and limits how deeply values are nested.
 */
public final class Json {

    /** Far deeper than any file of ours; a reader of untrusted input must not run out of stack. */
    private static final int MAX_DEPTH = 100;

    /** Before the message of the record that a value does not fit. */
    private static final String PROBLEM = "problem: ";

    private static final JsonMapper MAPPER = codec().build();

    private Json() {}

    /** The common settings, for a codec that adds rules to them. */
    public static JsonMapper.Builder codec() {
        StreamReadConstraints limits =
                StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build();
        return JsonMapper.builder(
                        JsonFactory.builder().streamReadConstraints(limits).build())
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    }

    /** A value on one line. */
    public static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw unwritable(value, e);
        }
    }

    /** A value on one line, as UTF-8. */
    public static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw unwritable(value, e);
        }
    }

    /** A value on indented lines, without a line break at the end. */
    public static String indented(Object value) {
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw unwritable(value, e);
        }
    }

    private static IllegalStateException unwritable(Object value, JsonProcessingException cause) {
        return new IllegalStateException(value.getClass().getName() + " cannot be written as JSON", cause);
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    public static JsonNode treeOf(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** The tree of a string that holds one JSON value. */
    public static JsonNode parse(String json) throws JsonProcessingException {
        return MAPPER.readTree(json);
    }

    /** The tree of bytes that hold one JSON value. */
    public static JsonNode parse(byte[] json) throws IOException {
        return MAPPER.readTree(json);
    }

    public static <T> T value(JsonNode tree, Class<T> type) throws JsonProcessingException {
        return MAPPER.treeToValue(tree, type);
    }

    /**
     * The value that a tree of our own describes.
     *
     * @throws IllegalArgumentException if it does not
     */
    public static <T> T convert(JsonNode tree, Class<T> type) {
        try {
            return MAPPER.convertValue(tree, type);
        } catch (IllegalArgumentException e) {
            throw e.getCause() instanceof JsonProcessingException wrong
                    ? new IllegalArgumentException(reason(wrong), e)
                    : e;
        }
    }

    public static <T> T value(byte[] json, Class<T> type) throws IOException {
        return MAPPER.readValue(json, type);
    }

    /** Members in the given order; {@link Map#of} has a different order in every process. */
    @SafeVarargs
    public static Map<String, Object> members(Map.Entry<String, ?>... members) {
        Map<String, Object> ordered = new LinkedHashMap<>();
        for (Map.Entry<String, ?> member : members) {
            ordered.put(member.getKey(), member.getValue());
        }
        return Collections.unmodifiableMap(ordered);
    }

    /** Why JSON or YAML cannot be read: the first line of the parser's message, without excerpts of the input and names of classes. */
    public static String reason(JsonProcessingException wrong) {
        String message = wrong.getOriginalMessage();
        if (message == null || message.isEmpty()) {
            return "it cannot be read";
        }
        String line = Text.firstLine(message);
        int problem = line.indexOf(PROBLEM);
        if (problem >= 0) {
            return line.substring(problem + PROBLEM.length());
        }
        if (line.contains("exceeds the maximum")) {
            return "it is nested too deeply, or a name, a string or a number is too long";
        }
        if (line.contains("`") || line.contains("(of type ")) {
            return "a value is missing, or of another kind than expected";
        }
        int place = line.indexOf(" (start marker at ");
        return place < 0 ? line : line.substring(0, place);
    }
}
