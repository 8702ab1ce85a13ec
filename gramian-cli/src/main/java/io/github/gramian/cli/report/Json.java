package io.github.gramian.cli.report;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** JSON of files that anybody may have written, and texts that stay short whatever they say. */
final class Json {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /** Of a text in general, and of one that names something. */
    static final int MAX_CHARACTERS = 1_000;

    static final int MAX_CHARACTERS_OF_A_NAME = 200;

    private Json() {}

    static JsonNode parse(byte[] bytes) throws IOException {
        return MAPPER.readTree(bytes);
    }
}
