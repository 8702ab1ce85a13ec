package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.io.internal.TerminalWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One call of the real command line, and what came of it. */
public record CommandRun(int exitCode, String out, String err) {

    public static CommandRun gramian(Object... arguments) {
        String[] words = Arrays.stream(arguments).map(Object::toString).toArray(String[]::new);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Gramian.commandLine(words)
                .setOut(new TerminalWriter(out, StandardCharsets.UTF_8))
                .setErr(new TerminalWriter(err, StandardCharsets.UTF_8))
                .execute(words);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }

    public JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out);
    }

    /** It went well. */
    public CommandRun succeeded() {
        assertThat(exitCode).as(err).isZero();
        return this;
    }

    /** It ended with one line for people, and nothing else. */
    public void refused(int code, String... words) {
        assertThat(err)
                .as("out: " + out)
                .startsWith("gramian: ")
                .hasLineCount(1)
                .contains(words);
        assertThat(exitCode).isEqualTo(code);
        assertThat(out).isEmpty();
    }
}
