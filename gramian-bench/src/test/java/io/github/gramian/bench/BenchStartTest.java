package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.SmallDistribution;
import io.github.gramian.cli.common.Launcher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS) // the script is one for the shell
class BenchStartTest {

    @TempDir
    private Path home;

    @Test
    void without_the_script_there_is_nothing_to_start() {
        gramian("bench", "start").refused(2, "bin/gramian");
    }

    @Tag("long")
    @Test
    void bench_start_splits_the_time_into_parts() throws IOException {
        Launcher launcher =
                new Launcher(SmallDistribution.in(home), home.resolve("lib").resolve("gramian.jsa"));
        Map<String, String> environment = Map.of("JAVA_HOME", System.getProperty("java.home"));
        launcher.run(home, environment, List.of("doctor", "--prepare"));
        assertThat(launcher.run(home, environment, List.of("bench", "start", "--rounds", "1")))
                .contains("with the class archive", "without the class archive", "forward pass", "end of the process");
    }
}
