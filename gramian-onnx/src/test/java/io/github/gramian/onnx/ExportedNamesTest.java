package io.github.gramian.onnx;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Class names of any script survive an export, although ONNX Runtime's Java code reads them as modified UTF-8. */
class ExportedNamesTest {

    private static final List<String> CLASSES = List.of(
            "zebra🦓", // outside of the basic plane: two Java characters, four bytes of UTF-8
            "👩‍👩‍👧", // several of them, joined
            "𠮷野家",
            "größe",
            "e\u0301", // a letter and a combining accent
            "حصان",
            "ม้า",
            "с пробелом",
            "moss \"wet\"",
            "back\\slash \\u0041",
            "tab\tand\nline",
            "bell\u0007escape\u001B",
            "\u2028separator\uFEFF",
            "{\"json\": [1]}");

    @TempDir
    static Path folder;

    private static Path model = Path.of("");

    @BeforeAll
    static void write_a_model() throws IOException {
        NetworkConfig network = new NetworkConfig(List.of(BranchConfig.average("res3a", 48)), 6);
        model = SmallModels.write(folder.resolve("model.gramian"), network, CLASSES);
    }

    @Test
    void class_names_of_every_script_survive() throws IOException {
        Path target = folder.resolve("names.onnx");
        gramian("export", model, "--onnx", target).succeeded();
        try (Predictor predictor = Predictor.load(target)) {
            assertThat(predictor.classes()).isEqualTo(CLASSES);
        }
        CommandRun shown = gramian("model", "show", target, "--json").succeeded();
        assertThat(shown.out()).contains("zebra🦓", "𠮷野家");
    }

    @Test
    void a_file_that_cannot_be_read_back_is_an_error() throws IOException {
        Path target = folder.resolve("compared.onnx");
        gramian("export", model, "--onnx", target).succeeded();
        Path published = folder.resolve("published.onnx");
        OnnxExport.requireReadable(target, published, CLASSES);
        assertThatThrownBy(() -> OnnxExport.requireReadable(target, published, CLASSES.subList(1, CLASSES.size())))
                .hasMessageStartingWith(
                        published + " was not written, because the exported file cannot be read back: its classes");
        byte[] content = Files.readAllBytes(target);
        Path broken = Files.write(folder.resolve("broken.onnx"), Arrays.copyOf(content, content.length - 9));
        assertThatThrownBy(() -> OnnxExport.requireReadable(broken, published, CLASSES))
                .hasMessageStartingWith(
                        published + " was not written, because the exported file cannot be read back: ");
    }

    @Test
    void weights_in_a_separate_file_change_nothing() throws IOException {
        Path target = folder.resolve("external.onnx");
        gramian("export", model, "--onnx", target, "--external-data").succeeded();
        try (Predictor predictor = Predictor.load(target)) {
            assertThat(predictor.classes()).isEqualTo(CLASSES);
        }
    }

    @Test
    void a_file_name_that_onnx_runtime_cannot_open_is_refused_before_any_work() throws IOException {
        Charset ofNames = Charset.forName(System.getProperty("sun.jnu.encoding"));
        assumeTrue(ofNames.newEncoder().canEncode("🦓"), "file names are limited to " + ofNames);
        Path directory = Files.createDirectories(folder.resolve("zoo🦓"));
        gramian("export", model, "--onnx", directory.resolve("zebra.onnx"))
                .refused(2, "ONNX Runtime cannot open", "because its path contains 🦓; rename");
        assertThat(directory).isEmptyDirectory();
        Path target = folder.resolve("moved.onnx");
        gramian("export", model, "--onnx", target).succeeded();
        Path moved = Files.move(target, directory.resolve("moved.onnx"));
        assertThatThrownBy(() -> Predictor.load(moved)).hasMessageContaining("its path contains 🦓; rename");
    }

    @Test
    void a_name_that_predict_would_not_recognise_is_refused() {
        gramian("export", model, "--onnx", folder.resolve("model.bin"))
                .refused(2, "model.bin must end with .onnx", "predict and serve recognise");
    }
}
