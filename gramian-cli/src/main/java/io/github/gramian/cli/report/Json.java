package io.github.gramian.cli.report;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Fields of a JSON object that may be missing, null or of another type: then a number is NaN and a text is empty. */
final class Json {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /** Of a text in general, and of one that names something. */
    static final int MOST_CHARACTERS = 1_000;

    static final int MOST_CHARACTERS_OF_A_NAME = 200;

    private Json() {}

    static JsonNode parse(byte[] bytes) throws IOException {
        return MAPPER.readTree(bytes);
    }

    static double number(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.isNumber() ? value.asDouble() : Double.NaN;
    }

    /** A number that must be a place in a list or a count; -1 if it is none. */
    static int index(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.canConvertToInt() && value.asInt() >= 0 ? value.asInt() : -1;
    }

    static String text(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.isTextual() ? shortened(value.asText(), MOST_CHARACTERS) : "";
    }

    /** A text that is not longer than a limit: names are repeated all over the page. */
    static String shortened(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }

    /** The numbers of an array; elements of other kinds are NaN. */
    static List<Double> numbers(JsonNode array, int most) {
        List<Double> numbers = new ArrayList<>();
        for (int i = 0; i < Math.min(array.size(), most); i++) {
            numbers.add(array.path(i).isNumber() ? array.path(i).asDouble() : Double.NaN);
        }
        return List.copyOf(numbers);
    }
}
