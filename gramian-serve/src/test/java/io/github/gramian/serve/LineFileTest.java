package io.github.gramian.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineFileTest {

    /** A disk that can be full. */
    private static final class Disk implements LineFile.Target {
        private final StringBuilder written = new StringBuilder();
        private boolean full;

        @Override
        public void write(byte[] bytes) throws IOException {
            if (full) {
                throw new IOException("No space left on device");
            }
            written.append(new String(bytes, StandardCharsets.UTF_8));
        }

        @Override
        public void close() {}
    }

    @Test
    void a_log_that_cannot_be_written_is_reported_once_and_again_when_it_can() {
        Disk disk = new Disk();
        List<String> reports = new ArrayList<>();
        LineFile log = new LineFile("access.jsonl", disk, reports::add);
        log.accept("one");
        assertThat(reports).isEmpty();
        disk.full = true;
        log.accept("two");
        log.accept("three");
        assertThat(reports)
                .singleElement()
                .asString()
                .contains("cannot be written to access.jsonl (No space left on device)", "requests are answered");
        disk.full = false;
        log.accept("four");
        assertThat(reports).hasSize(2).last().asString().endsWith("again; lines that were lost: 2");
        log.close();
        assertThat(disk.written.toString()).isEqualTo("one\n\nfour\n");
        assertThat(reports).hasSize(2);
    }

    @Test
    void a_standard_output_without_a_reader_is_reported() {
        PrintWriter closed = new PrintWriter(Writer.nullWriter());
        closed.close();
        List<String> reports = new ArrayList<>();
        LineFile log = new LineFile("standard output", new LineFile.Printed(closed), reports::add);
        log.accept("one");
        log.accept("two");
        assertThat(reports)
                .singleElement()
                .asString()
                .contains("cannot be written to standard output (the other side does not read it");
    }
}
