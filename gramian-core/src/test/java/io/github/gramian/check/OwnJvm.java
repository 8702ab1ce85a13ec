package io.github.gramian.check;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM with the classes of the tests. It starts in two thirds of the CPU time, because what it compiles is soon over. */
public final class OwnJvm {

    private OwnJvm() {}

    /** The program and its options. */
    public static List<String> program(String... more) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        words.addAll(List.of(more));
        return words;
    }

    /** Runs a class with these options of the JVM. */
    public static ProcessBuilder of(List<String> options, Class<?> main, Object... words) {
        List<String> command = program(options.toArray(String[]::new));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Stream.of(words).map(Object::toString).forEach(command::add);
        return new ProcessBuilder(command);
    }

    /** Runs a class. */
    public static ProcessBuilder of(Class<?> main, Object... words) {
        return of(List.of(), main, words);
    }
}
