package io.github.gramian.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script, next to a spark-submit that only prints its arguments, one per line. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {

    @TempDir
    Path folder;

    private Path script = Path.of("");

    @BeforeEach
    void makeADistribution() throws IOException {
        Path home = folder.resolve("with space");
        script = home.resolve("bin/gramian-spark");
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.copy(Path.of("src/main/dist/bin/gramian-spark"), script);
        for (String jar : List.of("gramian-core-1.jar", "gramian-spark-1.jar", "picocli-4.jar")) {
            Files.writeString(home.resolve("lib").resolve(jar), "");
        }
        Path submit = folder.resolve("spark/bin/spark-submit");
        Files.createDirectories(folder.resolve("spark/bin"));
        Files.writeString(submit, "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done\n");
        assertThat(submit.toFile().setExecutable(true)).isTrue();
    }

    private record Output(int code, List<String> lines) {}

    private Output run(Map<String, String> environment, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", script.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("SPARK_HOME");
        builder.environment().remove("GRAMIAN_SPARK_INSTALLED");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Output(process.waitFor(), output.lines().toList());
    }

    private Map<String, String> spark() {
        return Map.of("SPARK_HOME", folder.resolve("spark").toString());
    }

    @Test
    void options_before_the_dashes_are_sparks_and_the_rest_is_ours() throws Exception {
        Output output = run(
                spark(), "--master", "spark://a:7077", "--", "describe", "my images", "out", "--model", "m", "--", "x");
        String lib = folder.resolve("with space/lib").toString();
        assertThat(output.code).isZero();
        assertThat(output.lines)
                .containsExactly(
                        "--class",
                        Main.class.getName(),
                        "--jars",
                        lib + "/gramian-core-1.jar," + lib + "/picocli-4.jar",
                        "--master",
                        "spark://a:7077",
                        lib + "/gramian-spark-1.jar",
                        "describe",
                        "my images",
                        "out",
                        "--model",
                        "m",
                        "--",
                        "x");
    }

    @Test
    void where_it_is_installed_everywhere_no_jars_are_sent() throws Exception {
        Output output = run(
                Map.of("SPARK_HOME", folder.resolve("spark").toString(), "GRAMIAN_SPARK_INSTALLED", "1"), "--", "pack");
        assertThat(output.lines)
                .doesNotContain("--jars")
                .contains("spark.executor.extraClassPath=" + folder.resolve("with space/lib") + "/*")
                .endsWith("pack");
    }

    @Test
    void where_the_locale_is_limited_to_ascii_executors_get_another() throws Exception {
        Map<String, String> plain = new HashMap<>(spark());
        plain.put("LC_ALL", "C");
        assertThat(run(plain, "--", "pack").lines)
                .startsWith("--conf", "spark.executorEnv.LC_ALL=C.UTF-8", "--class")
                .endsWith("pack");
    }

    @Test
    void what_is_missing_is_reported() throws Exception {
        assertThat(run(spark(), "describe").lines.get(0)).contains("usage: gramian-spark");
        Output output = run(Map.of("PATH", "/usr/bin:/bin"), "--", "describe");
        assertThat(output.code).isEqualTo(2);
        assertThat(output.lines.get(0)).contains("SPARK_HOME");
    }
}
