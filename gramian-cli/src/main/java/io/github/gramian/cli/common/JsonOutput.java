package io.github.gramian.cli.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintWriter;

/** Prints maps, lists, records and numbers as indented JSON for programs that read the command's output. */
public final class JsonOutput {

    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private JsonOutput() {}

    /** Prints a value and a line break. */
    public static void print(PrintWriter out, Object value) {
        try {
            out.print(MAPPER.writeValueAsString(value) + System.lineSeparator());
            out.flush();
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("the report cannot be written as JSON", impossible);
        }
    }
}
