package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.cli.common.Launcher;
import io.github.gramian.cli.doctor.PosixSum;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS) // the script is one for the shell
@Tag("slow")
class LauncherTest {

    private static final String VERSION = "gramian test (commit ";

    @TempDir
    private static Path home;

    private static Path script = Path.of("");
    private static Path archive = Path.of("");

    @BeforeAll
    static void prepare_a_distribution() throws IOException {
        script = SmallDistribution.in(home);
        archive = home.resolve("lib").resolve("gramian.jsa");
        assertThat(run(Map.of(), "--version")).as("without an archive").startsWith(VERSION);
        String output = run(Map.of(), "doctor", "--prepare");
        assertThat(output).contains("natives", archive.toString(), "prepared in");
    }

    private static String run(Map<String, String> environment, String... words) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("JAVA_HOME", System.getProperty("java.home"));
        return new Launcher(script, archive).run(home, all, List.of(words));
    }

    /** Where the JVM found the first class of ours. */
    private static String sourceOfMain(Path archive) throws IOException {
        Path loaded = Files.createTempFile(home, "loaded", "");
        String output = run(
                Map.of(
                        "GRAMIAN_ARCHIVE",
                        archive.toString(),
                        "GRAMIAN_JAVA_OPTS",
                        "-Xlog:class+load:file=" + loaded.getFileName()),
                "--version");
        assertThat(output).startsWith(VERSION);
        return Files.readAllLines(loaded).stream()
                .filter(line -> line.contains(Gramian.class.getName() + " "))
                .findFirst()
                .orElseThrow();
    }

    /** An archive of this content, next to the checksum of the whole one. */
    private static Path copy(byte[] content) throws IOException {
        Path copy = Files.write(Files.createTempFile(home, "copy", ".jsa"), content);
        Files.copy(new Launcher(script, archive).archiveSum(), new Launcher(script, copy).archiveSum());
        return copy;
    }

    /** An archive of this content with a matching checksum. */
    private static Path withChecksum(byte[] content) throws IOException {
        Path copy = copy(content);
        Files.writeString(new Launcher(script, copy).archiveSum(), PosixSum.of(copy) + "\n");
        return copy;
    }

    @Test
    void a_prepared_start_takes_its_classes_from_the_archive() throws IOException {
        assertThat(sourceOfMain(archive)).contains("shared objects file (top)");
        assertThat(run(Map.of(), "--version")).startsWith(VERSION);
    }

    @Test
    void preparing_leaves_nothing_but_the_archive() throws IOException {
        try (var files = Files.list(home.resolve("lib"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .allMatch(name -> name.endsWith(".jar") || name.startsWith("gramian.jsa"));
        }
    }

    @Test
    void a_missing_archive_does_not_matter() throws IOException {
        assertThat(sourceOfMain(home.resolve("missing.jsa"))).contains("gramian-cli-test.jar");
        assertThat(run(Map.of("GRAMIAN_ARCHIVE", Launcher.NO_ARCHIVE), "--version"))
                .startsWith(VERSION);
    }

    @Test
    void a_truncated_archive_is_silently_ignored() throws IOException {
        byte[] whole = Files.readAllBytes(archive);
        for (int length : new int[] {0, 100, whole.length / 2, whole.length - 1}) {
            Path cutOff = copy(Arrays.copyOf(whole, length));
            assertThat(sourceOfMain(cutOff)).as("%d bytes", length).contains("gramian-cli-test.jar");
        }
        Path unknown = copy(whole);
        Files.delete(new Launcher(script, unknown).archiveSum());
        assertThat(sourceOfMain(unknown)).as("of unknown checksum").contains("gramian-cli-test.jar");
        assertThat(sourceOfMain(copy(whole))).as("whole").contains("shared objects file (top)");
    }

    @Tag("long")
    @Test
    void an_archive_with_flipped_bits_is_silently_ignored() throws IOException {
        byte[] whole = Files.readAllBytes(archive);
        for (int share = 1; share < 8; share++) {
            byte[] damaged = whole.clone();
            int place = (int) ((long) whole.length * share / 8);
            for (int i = place; i < place + 2000; i++) {
                damaged[i] ^= 0x55;
            }
            assertThat(sourceOfMain(copy(damaged))).as("damaged at %d", place).contains("gramian-cli-test.jar");
        }
    }

    @Test
    void checksums_are_those_of_the_shell() throws Exception {
        for (byte[] content :
                new byte[][] {{}, {0}, "123456789".getBytes(StandardCharsets.US_ASCII), new byte[70_000]}) {
            Path file = Files.write(home.resolve("summed"), content);
            Process cksum =
                    new ProcessBuilder("cksum").redirectInput(file.toFile()).start();
            assertThat(PosixSum.of(file))
                    .isEqualTo(new String(cksum.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
        }
    }

    @Tag("long")
    @Test
    void an_archive_whose_path_java_would_misread_is_silently_ignored() throws IOException {
        Path odd = Files.createDirectories(home.resolve("a:b")).resolve("gramian.jsa");
        Files.copy(archive, odd);
        Files.copy(new Launcher(script, archive).archiveSum(), new Launcher(script, odd).archiveSum());
        assertThat(sourceOfMain(odd)).contains("gramian-cli-test.jar");
    }

    @Test
    void a_file_that_is_not_an_archive_is_silently_ignored() throws IOException {
        for (String content : new String[] {"", "no archive", "no archive".repeat(1000)}) {
            Path file = withChecksum(content.getBytes(StandardCharsets.US_ASCII));
            assertThat(sourceOfMain(file)).contains("gramian-cli-test.jar");
        }
    }

    @Test
    void the_archive_of_another_java_is_silently_ignored() throws IOException {
        byte[] foreign = Files.readAllBytes(archive);
        String header = new String(foreign, 0, 4096, StandardCharsets.ISO_8859_1);
        int name = header.indexOf("64-Bit Server VM");
        assertThat(name).as("the place where an archive names its Java").isPositive();
        foreign[name] = '9';
        assertThat(sourceOfMain(withChecksum(foreign))).contains("gramian-cli-test.jar");
    }

    @Test
    void a_closed_standard_input_is_no_list_of_images() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                "sh",
                "-c",
                "exec sh \"$0\" predict \"$1\" - <&-",
                script.toString(),
                SmallRun.trained().run().toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).hasLineCount(1).startsWith("gramian: standard input cannot be read");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @Test
    void without_the_script_there_is_nothing_to_prepare() {
        gramian("doctor", "--prepare").refused(2, "bin/gramian");
    }

    @Test
    void a_failed_command_is_reported_with_its_output() {
        assertThatThrownBy(() -> run(Map.of(), "predict", "no-such-model", "no-such-image"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ended with 2")
                .hasMessageContaining("no-such-model");
    }
}
