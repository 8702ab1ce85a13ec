package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** How engine threads wait, as the start script sets it: a script in Java's place prints the environment. */
@EnabledOnOs(OS.LINUX)
class LauncherWaitingTest {

    @TempDir
    private Path folder;

    private String waiting(Map<String, String> set) throws Exception {
        Path java = folder.resolve("java/bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, "#!/bin/sh\necho \"${OMP_WAIT_POLICY:-unset}\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("sh", "src/main/dist/bin/gramian").redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.matches("(OMP|GOMP|KMP)_.*"));
        builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
        builder.environment().putAll(set);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output.strip();
    }

    @Test
    void waiting_threads_sleep() throws Exception {
        assertThat(waiting(Map.of())).isEqualTo("PASSIVE");
    }

    @Test
    void settings_of_the_user_are_not_changed() throws Exception {
        assertThat(waiting(Map.of("OMP_WAIT_POLICY", "ACTIVE"))).isEqualTo("ACTIVE");
        assertThat(waiting(Map.of("GOMP_SPINCOUNT", "1000"))).isEqualTo("unset");
    }
}
