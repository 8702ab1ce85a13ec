package io.github.gramian.backbone.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.Variant;
import io.github.gramian.check.Needs;
import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.file.Path;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same seeded weights, saved by Python in each of its formats, give Python's features here. */
@Tag("slow")
@Needs(Tool.TORCHVISION)
class PythonAgreementTest {

    private static final Path PROGRAM =
            Path.of("src/test/resources/io/github/gramian/backbone/weights/save_networks.py");

    @TempDir
    static Path folder;

    @BeforeAll
    static void save_networks_in_python() throws IOException {
        PythonProgram.run(PROGRAM, folder);
    }

    @ParameterizedTest
    @CsvSource({
        "vgg16, zip",
        "vgg16, legacy",
        "vgg16, safetensors",
        "resnet50, zip",
        "resnet50, legacy",
        "resnet50, safetensors"
    })
    void features_agree_with_python(String name, String format) throws IOException {
        Path weights = folder.resolve("imported");
        WeightsImport.Report report = WeightsImport.run(
                new WeightsImport.Request(folder.resolve(name + "-" + format), Architecture.named(name), null, "test"),
                weights);
        assertThat(report.config().variant()).isEqualTo(Variant.TORCHVISION);
        // The arithmetic does not depend on the format, so only one format is tested without folding too.
        for (boolean fold : format.equals("zip") ? new boolean[] {true, false} : new boolean[] {true}) {
            BackboneOptions folded = BackboneOptions.frozen(Precision.FLOAT);
            try (Scope scope = Scope.open();
                    Backbone backbone = WeightsFile.load(weights, fold ? folded : folded.unfolded());
                    SafetensorsFile expected = SafetensorsFile.open(folder.resolve(name + "-expected"))) {
                Tensor images = expected.tensor("images");
                for (TensorEntry entry : expected.entries()) {
                    if (!entry.name().equals("images")) {
                        Tensor python = expected.tensor(entry.name());
                        Tensor ours = backbone.features(images, entry.name());
                        double scale = python.abs().max().item_double();
                        double apart = python.sub(ours).abs().max().item_double();
                        assertThat(apart / scale).as(entry.name()).isLessThan(1e-4);
                        assertThat(scale).isBetween(1e-3, 1e4);
                    }
                }
            }
        }
    }
}
