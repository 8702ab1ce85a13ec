package io.github.gramian.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FuzzProcessTest {

    @TempDir
    Path folder;

    @Test
    void an_abort_is_a_finding_in_addition_to_those_of_earlier_runs() throws IOException {
        FuzzTarget target = FuzzTarget.of("x", List::of, bytes -> {}, IllegalStateException.class);
        FuzzProcess process = new FuzzProcess(target, folder);
        Path findings = Files.createDirectories(folder.resolve("findings"));
        Files.write(findings.resolve("crash-1"), new byte[] {1});
        Files.writeString(folder.resolve("log"), "#300\tREDUCE cov: 12 ft: 3\n");
        new Watch.LastInput(folder.resolve("last-input")).note(new byte[] {7, 8});

        assertThat(process.result(Duration.ofSeconds(3), 77).findings()).containsExactly(findings + "/crash-1");
        FuzzProcess.Result aborted = process.result(Duration.ofSeconds(3), 134);
        assertThat(aborted.findings())
                .containsExactly(findings + "/abort-134 (see " + folder.resolve("log") + ")", findings + "/crash-1");
        assertThat(findings.resolve("abort-134")).hasBinaryContent(new byte[] {7, 8});
        assertThat(aborted.executions()).isEqualTo(300);
        assertThat(aborted.perSecond()).isEqualTo(100);
        assertThat(aborted.coverage()).isEqualTo(12);
    }
}
