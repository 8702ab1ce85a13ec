package io.github.gramian.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Progress lines where standard error is not a terminal. */
class ProgressTest {

    private final StringWriter output = new StringWriter();

    private Progress of(int total) {
        return new Progress("reading", "files", total, new PrintWriter(output), false);
    }

    @Test
    void work_that_was_over_at_once_has_no_speed() {
        try (Progress progress = of(3)) {
            progress.done(3);
        }
        assertThat(output).hasToString("reading: 3 of 3" + System.lineSeparator());
    }

    @Test
    void the_end_of_longer_work_names_its_speed() throws InterruptedException {
        try (Progress progress = of(3)) {
            Thread.sleep(150);
            progress.done(3);
        }
        assertThat(output.toString()).matches("reading: 3 of 3, \\d+\\.\\d/s, 0 s left\\R");
    }
}
