package io.github.gramian.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenFilesTest {

    @Test
    void a_limit_on_open_files_below_the_connections_is_reported_with_what_to_do() {
        assertThat(OpenFiles.warning(512, 1024)).isEmpty();
        assertThat(OpenFiles.warning(512, 600))
                .hasValueSatisfying(text ->
                        assertThat(text).contains("only 600 files", "limits.connections is 512", "ulimit -n to 768"));
    }

    @Test
    void this_machine_reports_its_limit() {
        assertThat(OpenFiles.warning(Integer.MAX_VALUE - 1000)).isPresent();
    }
}
