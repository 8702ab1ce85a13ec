package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Photographs of telephones in commands, with and without a converter. */
class HeicCommandsTest {

    private static final byte[] HEIC = "\0\0\0\u0014ftypheic\0\0\0\0mif1".getBytes(StandardCharsets.ISO_8859_1);

    private static final String ADVICE = " not read: install heif-convert (Debian package libheif-examples) and run the"
            + " command again, or convert them: for f in *.heic; do heif-convert \"$f\" \"${f%.heic}.jpg\"; done";

    @TempDir
    private Path own;

    private Path photos = Path.of("");

    @BeforeEach
    void switch_the_converter_off() throws IOException {
        photos = Files.createDirectory(own.resolve("photos"));
        System.setProperty("gramian.heif", "off");
    }

    @AfterEach
    void switch_the_converter_on() {
        System.clearProperty("gramian.heif");
    }

    private static Path photo(String name) {
        return DemoRun.trained().photos().resolve(name);
    }

    @Test
    void predict_counts_files_that_need_a_converter_and_fails() throws IOException {
        Files.copy(photo("dots/000.png"), photos.resolve("one.png"));
        Files.write(photos.resolve("two.HEIC"), HEIC);
        Files.write(photos.resolve("three.avif"), HEIC);
        Files.write(photos.resolve("four.nef"), HEIC);
        Files.write(photos.resolve("notes.txt"), HEIC);
        CommandRun predicted = gramian("predict", DemoRun.trained().run(), photos);
        assertThat(predicted.exitCode()).isOne();
        assertThat(predicted.out()).hasLineCount(3).contains("two.HEIC", "HEIC and AVIF files need a converter");
        assertThat(predicted.err())
                .contains("3 images, 2 rejected")
                .contains("2 HEIC or AVIF files were" + ADVICE)
                .contains("1 file has an image format that Gramian does not read (1 .nef);");
    }

    @Test
    void inspect_names_and_counts_them() throws IOException {
        classes();
        CommandRun inspected = gramian("data", "inspect", "--root", photos);
        assertThat(inspected.exitCode()).isZero();
        assertThat(inspected.out())
                .contains("broken       1", "dots/phone.heic  HEIC and AVIF files need a converter")
                .contains("1 HEIC or AVIF file was" + ADVICE)
                .contains("3 files have image formats that Gramian does not read (2 .cr2, 1 .psd)");
    }

    @Test
    void train_names_and_counts_them() throws IOException {
        classes();
        CommandRun trained = gramian(
                "train",
                "--images",
                photos,
                "--backbone",
                DemoRun.trained().weights(),
                "--out",
                own.resolve("run"),
                "--set",
                "network.branches.0.size=64",
                "--set",
                "stage1.epochs=0");
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        assertThat(trained.err())
                .containsOnlyOnce("1 HEIC or AVIF file was" + ADVICE)
                .containsOnlyOnce("3 files have image formats that Gramian does not read (2 .cr2, 1 .psd)")
                .doesNotContain("left out");
    }

    /** Two classes of four images, and files that are not read. */
    private void classes() throws IOException {
        for (String name : new String[] {"dots", "waves"}) {
            Files.createDirectories(photos.resolve(name));
            for (int i = 0; i < 4; i++) {
                Files.copy(
                        photo(name + "/00" + i + ".png"), photos.resolve(name).resolve(i + ".png"));
            }
        }
        Files.write(photos.resolve("dots/phone.heic"), HEIC);
        Files.write(photos.resolve("dots/raw.cr2"), HEIC);
        Files.write(photos.resolve("dots/raw2.CR2"), HEIC);
        Files.write(photos.resolve("waves/layers.psd"), HEIC);
    }

    @Test
    @Needs(Tool.HEIF)
    void predict_reads_them_through_an_installed_converter() throws Exception {
        System.clearProperty("gramian.heif");
        Path heic = photos.resolve("photo.heic");
        Process encoder = new ProcessBuilder(
                        "heif-enc", "-q", "95", photo("dots/000.png").toString(), "-o", heic.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(encoder.waitFor()).isZero();
        CommandRun predicted = gramian("predict", DemoRun.trained().run(), photos);
        assertThat(predicted.exitCode()).as(predicted.out() + predicted.err()).isZero();
        assertThat(predicted.err()).contains("1 image, 0 rejected");
    }
}
