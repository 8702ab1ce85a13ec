package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.check.FullForm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** No command ends with 0 when what it printed did not arrive. */
@DisabledOnOs(OS.WINDOWS)
class LostOutputTest {

    /** Where every write fails as on a full disk. */
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    static Path folder;

    private static DemoRun small = new DemoRun(Path.of(""), Path.of(""));
    private static Path run = Path.of("");

    @BeforeAll
    static void train_a_model() {
        small = DemoRun.trained();
        run = small.run();
    }

    @Test
    void a_full_disk_is_one_message_for_every_command() throws Exception {
        assumeTrue(Files.exists(FULL), "this system has no /dev/full");
        List<List<Object>> commands = List.of(
                List.of("--help"),
                List.of("predict", run, small.photos()),
                List.of("model", "show", run, "--json"),
                List.of("--version"),
                List.of("train", "--help"),
                List.of("completion"),
                List.of("recipe", "show"),
                List.of("evaluate", run, "--quiet"),
                List.of("compare", run),
                List.of("data", "demo", "--out", folder.resolve("more"), "--images", 1),
                List.of("doctor", "--json"));
        for (List<Object> words : commands.subList(0, FullForm.rounds(commands.size(), 3))) {
            OwnProcess.End end = new OwnProcess(folder).to(FULL, words.toArray());
            assertThat(end.code()).as("%s: %s", words, end.err()).isEqualTo(1);
            assertThat(end.err())
                    .as("%s", words)
                    .hasLineCount(1)
                    .startsWith("gramian: ")
                    .contains("standard output", "incomplete");
        }
    }

    @Test
    void a_training_whose_result_is_lost_has_not_succeeded() throws Exception {
        assumeTrue(Files.exists(FULL), "this system has no /dev/full");
        OwnProcess.End end = new OwnProcess(folder).to(FULL, "resume", run, "--json");
        assertThat(end.code()).isEqualTo(1);
        assertThat(end.err()).hasLineCount(1).contains("standard output", "incomplete");
        assertThat(run.resolve("model.gramian")).exists();
    }

    @Test
    void a_closed_pipe_ends_the_work_silently() throws Exception {
        OwnProcess own = new OwnProcess(folder);
        Process process = own.start("predict", run, "-");
        String photo = small.photos().resolve("dots/000.png") + "\n";
        try (OutputStream in = process.getOutputStream();
                BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            send(in, photo);
            assertThat(out.readLine()).contains("000.png: ");
            out.close();
            send(in, photo);
            // More could come: standard input remains open.
            OwnProcess.End end = own.end(process);
            assertThat(end.err()).isEmpty();
            assertThat(end.code()).as("as if killed by SIGPIPE").isEqualTo(141);
        }
    }

    @Test
    void a_pipe_closed_before_the_first_line_ends_silently() throws Exception {
        OwnProcess own = new OwnProcess(folder);
        Process process = own.start("recipe", "show");
        process.getInputStream().close();
        OwnProcess.End end = own.end(process);
        assertThat(end.err()).isEmpty();
        assertThat(end.code()).isEqualTo(141);
    }

    private static void send(OutputStream in, String line) throws IOException {
        in.write(line.getBytes(StandardCharsets.UTF_8));
        in.flush();
    }
}
