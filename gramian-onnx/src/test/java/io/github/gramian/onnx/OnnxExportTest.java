package io.github.gramian.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxExportTest {

    @TempDir
    static Path shared;

    private static Path model = Path.of("");

    @TempDir
    Path directory;

    @BeforeAll
    static void write_a_model() throws IOException {
        NetworkConfig network = new NetworkConfig(List.of(BranchConfig.kernel("res3b", 64, 10, 5)), 6);
        model = SmallModels.write(shared.resolve("model.gramian"), network);
    }

    @Test
    void an_exported_file_predicts_like_its_model() throws IOException {
        Path file = directory.resolve("new/model.onnx");
        ExportReport report = OnnxExport.of(model).withPixelInput().to(file);
        assertThat(report.parity().within(1e-4)).isTrue();
        assertThat(report.parity().bytes()).isEqualTo(Files.size(file));
        assertThat(report.int8()).isEmpty();
        byte[] pixels = new byte[3 * 70 * 80];
        new Random(1).nextBytes(pixels);
        RgbImage image = new RgbImage(70, 80, pixels);
        try (Predictor exported = Predictor.load(file);
                Predictor original = Predictor.load(model)) {
            assertThat(exported.predictPixels(image).probabilities())
                    .containsExactly(original.predictPixels(image).probabilities(), Offset.offset(1e-4f));
        }
    }

    @Test
    void a_file_outside_the_tolerance_is_not_written_and_the_exception_has_the_report() throws IOException {
        Path file = Files.writeString(directory.resolve("model.onnx"), "an older export");
        OnnxExport export = OnnxExport.of(model);
        assertThatThrownBy(() -> export.withTolerance(1e-12).to(file))
                .hasMessageStartingWith(file + " was not written")
                .asInstanceOf(InstanceOfAssertFactories.type(ParityException.class))
                .satisfies(e -> assertThat(e.report().parity().within(1e-12)).isFalse());
        assertThat(file).hasContent("an older export");
        export.to(file); // the first export still has the default tolerance
        assertThat(file).binaryContent().isNotEqualTo("an older export".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void options_out_of_range_are_refused_at_once() {
        OnnxExport export = OnnxExport.of(model);
        assertThatIllegalArgumentException().isThrownBy(() -> export.withTolerance(0));
        assertThatIllegalArgumentException().isThrownBy(() -> export.withInt8(directory, 101));
        assertThatIllegalArgumentException().isThrownBy(() -> export.to(directory.resolve("model.bin")));
    }
}
