package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The start script of a distribution, in a process of its own. */
@DisabledOnOs(OS.WINDOWS) // the script is one for the shell
@Tag("slow")
class LauncherTest {

    private record Ended(int code, String output) {}

    @TempDir
    private static Path home;

    private static Path script = Path.of("");

    @BeforeAll
    static void make_a_distribution() throws IOException {
        script = SmallDistribution.in(home);
    }

    private static Ended sh(String command, Object... words) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command, script.toString());
        for (Object word : words) {
            builder.command().add(word.toString());
        }
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    @Test
    void the_script_runs_a_command_and_gives_its_exit_code() throws Exception {
        Ended version = sh("exec sh \"$0\" --version");
        assertThat(version.output()).startsWith("gramian test (commit ");
        assertThat(version.code()).isZero();
        Ended refused = sh("exec sh \"$0\" predict no-such-model no-such-image");
        assertThat(refused.output()).contains("no-such-model");
        assertThat(refused.code()).isEqualTo(2);
    }

    @Test
    void a_closed_standard_input_is_no_list_of_images() throws Exception {
        Ended closed =
                sh("exec sh \"$0\" predict \"$1\" - <&-", DemoRun.trained().run());
        assertThat(closed.output()).hasLineCount(1).startsWith("gramian: standard input cannot be read");
        assertThat(closed.code()).isEqualTo(1);
    }
}
