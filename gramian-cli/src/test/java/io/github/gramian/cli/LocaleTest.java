package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.OwnJvm;
import io.github.gramian.run.internal.RunFolder;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same commands write the same files and the same output in every language. Each language has its own JVM, since
 * much of what is written is built once, when a class is loaded.
 */
class LocaleTest {

    /** {@code String.format("%03d", 1)} gives Persian digits. */
    private static final List<String> PERSIAN =
            List.of("-Duser.language=fa", "-Duser.country=IR", "-Duser.extensions=u-nu-arabext");

    /** {@code "I".toLowerCase()} has no dot. */
    private static final List<String> TURKISH = List.of("-Duser.language=tr", "-Duser.country=TR");

    private static final List<String> TURKISH_IN_PERSIAN_DIGITS =
            List.of("-Duser.language=tr", "-Duser.country=TR", "-Duser.extensions=u-nu-arabext");

    @TempDir
    private Path folder;

    /** Runs in each language: the commands that name files and write settings. */
    static final class Commands {

        private Commands() {}

        public static void main(String[] arguments) throws IOException {
            DemoRun small = new DemoRun(Path.of("here"), Path.of(arguments[0]));
            gramian("data", "demo", "--out", small.photos(), "--images", 4).succeeded();
            Path out = Path.of("run");
            small.train(small.photos(), out, "--set", "stage1.schedule=COSINE").succeeded();
            RunFolder run = new RunFolder(out);
            Path image = small.photos().resolve("dots").resolve("000.png");
            String output = gramian("predict", run.model(), image).succeeded().out()
                    + gramian("predict", run.model(), image, "--format", "JSONL")
                            .succeeded()
                            .out()
                    + gramian("data", "inspect", "--root", small.photos())
                            .succeeded()
                            .out()
                    + gramian("predict", "--format", "jsoon", run.model(), image)
                            .err();
            Files.writeString(Path.of("output.txt"), output);
        }
    }

    private SortedMap<String, String> filesIn(List<String> locale, String name) throws Exception {
        Path here = Files.createDirectories(folder.resolve(name));
        List<String> command = OwnJvm.program();
        command.addAll(locale);
        command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path")), Commands.class.getName()));
        command.add(DemoRun.trained().weights().toString());
        Path log = here.resolve("process.log");
        Process process = new ProcessBuilder(command)
                .directory(here.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor()).as(() -> read(log)).isZero();
        Files.delete(log);
        SortedMap<String, String> files = new TreeMap<>();
        try (Stream<Path> below = Files.walk(here)) {
            below.filter(Files::isRegularFile)
                    .forEach(file -> files.put(withoutTime(here.relativize(file).toString()), words(file)));
        }
        return files;
    }

    private static String absolute(String classPath) {
        return String.join(
                File.pathSeparator,
                Stream.of(classPath.split(File.pathSeparator))
                        .map(element -> Path.of(element).toAbsolutePath().toString())
                        .toList());
    }

    /** The settings and words in full; of other files, only their names matter here. */
    private static String words(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".yaml") || name.endsWith(".txt") ? read(file) : "";
    }

    private static String withoutTime(String name) {
        return name.replaceAll("tfevents\\.[0-9]{10}\\.", "tfevents.");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Tag("slow")
    @Test
    void the_same_files_and_words_in_every_language() throws Exception {
        SortedMap<String, String> expected = filesIn(List.of("-Duser.language=", "-Duser.country="), "root");
        assertThat(expected.get("output.txt")).contains("dots");
        if (FullForm.isOn()) {
            assertThat(filesIn(PERSIAN, "persian")).containsExactlyEntriesOf(expected);
            assertThat(filesIn(TURKISH, "turkish")).containsExactlyEntriesOf(expected);
        }
        assertThat(filesIn(TURKISH_IN_PERSIAN_DIGITS, "both")).containsExactlyEntriesOf(expected);
    }
}
