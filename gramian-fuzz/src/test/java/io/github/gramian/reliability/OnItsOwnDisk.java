package io.github.gramian.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.OwnJvm;
import io.github.gramian.io.disk.WatchedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program in a JVM whose disk is watched. */
final class OnItsOwnDisk {

    private OnItsOwnDisk() {}

    /** Lets a program print what is wrong, and how many points it has tried in its last line; returns that number. */
    static int points(Class<?> program, Path folder, int number, List<String> commands)
            throws IOException, InterruptedException {
        List<Object> words = new ArrayList<>(List.of(folder, number));
        words.addAll(commands);
        List<String> options = List.of(
                "-Xmx1g",
                "-Dorg.bytedeco.javacpp.maxBytes=0",
                "-Dorg.bytedeco.javacpp.maxPhysicalBytes=0",
                WatchedDisk.OPTION);
        Process process = OwnJvm.of(options, program, words.toArray())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        List<String> output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as(String.join("\n", output)).isZero();
        output.forEach(System.out::println);
        String last = output.get(output.size() - 1);
        assertThat(last).as(String.join("\n", output)).matches("points \\d+ wrong 0");
        return Integer.parseInt(last.split(" ", -1)[1]);
    }
}
