package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.OwnJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** File names outside ASCII where the locale is limited to ASCII, as in containers and cron. */
@EnabledOnOs(OS.LINUX)
class FileNamesTest {

    private static final String ADVICE = "start with LC_ALL=C.UTF-8";

    @TempDir
    static Path folder;

    private static Path script = Path.of("");
    private static Path run = Path.of("");
    private static Path photos = Path.of("");

    @BeforeAll
    static void train_a_model_and_name_two_files() throws Exception {
        script = SmallDistribution.in(folder.resolve("dist"));
        DemoRun small = DemoRun.in(folder);
        run = folder.resolve("runs/first");
        photos = small.photos();
        small.train(photos, run).succeeded();
        // The shell knows bytes; this JVM might not be able to name them.
        shell("cp 000.png \"$(printf 'gr\\303\\266\\303\\237e.png')\"; cp 001.png \"$(printf 'odd\\377.png')\";"
                + " cp 002.png \"$(printf 'odd\\376.png')\"");
    }

    private static void shell(String commands) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", commands)
                .directory(photos.resolve("dots").toFile())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
    }

    private record Output(int code, String text) {}

    /** By the start script, or without it. */
    private static Output run(boolean launched, String locale, String input, Object... words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                launched
                        ? List.of("sh", script.toString())
                        : OwnJvm.program("-cp", System.getProperty("java.class.path"), Gramian.class.getName()));
        Stream.of(words).map(Object::toString).forEach(command::add);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("LC_ALL", locale, "JAVA_HOME", System.getProperty("java.home")));
        Path given = Files.writeString(Files.createTempFile(folder, "in", ""), input);
        Process process = builder.redirectInput(given.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Output(process.waitFor(), output);
    }

    @Tag("slow")
    @Test
    void the_start_script_makes_java_name_them() throws Exception {
        for (String locale : List.of("C", "POSIX", "xx_XX.UTF-8")) {
            Output output = run(true, locale, "", "predict", run, photos.resolve("dots"));
            assertThat(output.text())
                    .as(locale)
                    .contains("größe.png: ", "odd\\xFF.png: rejected: ", "odd\\xFE.png: rejected: ", ADVICE)
                    .doesNotContain("größe.png: rejected");
            assertThat(output.text()).contains("11 images, 2 rejected");
            assertThat(output.code()).as("some were rejected").isEqualTo(1);
        }
    }

    @Test
    void without_it_they_are_rejected_one_by_one() throws Exception {
        Output output = run(false, "C", "", "predict", run, photos.resolve("dots"));
        assertThat(output.text())
                .contains("gr\\xC3\\xB6\\xC3\\x9Fe.png: rejected: ", ADVICE)
                .contains("11 images, 3 rejected");
        assertThat(output.code()).isEqualTo(1);
    }

    @Tag("long")
    @Test
    void a_list_of_names_continues_after_an_impossible_one() throws Exception {
        String good = photos.resolve("dots/000.png") + "\n";
        String list = good + "nul\0byte.png\n" + photos.resolve("dots") + "/größe.png\n" + good;
        Output output = run(false, "C", list, "predict", run, "-");
        assertThat(output.text()).contains("nul\\u0000byte.png: rejected: ", "4 images, 2 rejected");
        assertThat(run(true, "C", list, "predict", run, "-").text())
                .contains("nul\\u0000byte.png: rejected: ", "4 images, 1 rejected");
    }

    @Tag("long")
    @Test
    void datasets_with_such_names_are_inspected_and_trained_on() throws Exception {
        Output inspected = run(false, "C", "", "data", "inspect", "--root", photos);
        assertThat(inspected.text()).contains("27 of 3 classes", "gr\\xC3\\xB6\\xC3\\x9Fe.png");
        assertThat(inspected.code()).isZero();
        Output measured = run(false, "C", "", "evaluate", run, "--on", "all", "--quiet");
        assertThat(measured.text()).contains("left out dots/gr\\xC3\\xB6\\xC3\\x9Fe.png: ", ADVICE);
        assertThat(measured.code()).isZero();
    }

    @Test
    void a_folder_that_cannot_be_named_is_one_message() throws Exception {
        Output output = run(false, "C", "", "data", "inspect", "--root", photos.resolve("größe"));
        assertThat(output.code()).isEqualTo(2);
        assertThat(output.text()).doesNotContain("Exception");
    }
}
