package io.github.gramian.cli.common;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.PrintWriter;

/**
 * Prints maps, lists, records and numbers as indented JSON for programs that read the command's output. JSON has no number
 * for what was not measured: NaN and infinities become null.
 */
public final class JsonOutput {

    private static final ObjectMapper MAPPER = Json.codec()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteOrNull())
                    .addSerializer(Double.TYPE, new FiniteOrNull()))
            .build();

    private JsonOutput() {}

    /** Prints a value and a line break. */
    public static void print(PrintWriter out, Object value) {
        try {
            out.print(MAPPER.writeValueAsString(value) + System.lineSeparator());
            out.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the report cannot be written as JSON", e);
        }
    }

    private static final class FiniteOrNull extends StdScalarSerializer<Double> {

        private static final long serialVersionUID = 1;

        FiniteOrNull() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider provider) throws IOException {
            if (Double.isFinite(value)) {
                json.writeNumber(value);
            } else {
                json.writeNull();
            }
        }
    }
}
