package io.github.gramian.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine without the engine's libraries reads recipes and divides datasets all the same. */
class WithoutEngineTest {

    private static final String NATIVE = "linux-x86_64";

    @TempDir
    Path folder;

    private static String classPathWithoutLibraries() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(element -> !Path.of(element).getFileName().toString().contains(NATIVE))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Path images() throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (int i = 0; i < 24; i++) {
            String path = "image" + i + ".png";
            Files.createFile(folder.resolve(path));
            lines.add(path + "," + (i % 2 == 0 ? "even" : "odd") + "," + (i < 16 ? "train" : "test"));
        }
        return Files.write(folder.resolve("manifest.csv"), lines);
    }

    @Test
    void a_recipe_is_read_and_a_dataset_divided_without_the_engine() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-verbose:class",
                        "-cp",
                        classPathWithoutLibraries(),
                        WithoutEngineMain.class.getName(),
                        images().toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(child.exitValue())
                .as(output.lines()
                        .filter(line -> !line.contains("[class,load]"))
                        .toList()
                        .toString())
                .isZero();
        assertThat(output).contains("TRAIN 12", "VALIDATION 4", "TEST 8", "lines");
        // The engine's classes may be seen by the verifier; what unpacks and loads libraries must not be touched.
        assertThat(output)
                .doesNotContain("org.bytedeco.javacpp.Loader ", "io.github.gramian.natives.internal.Natives ");
    }
}
