package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.ModelFile;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of a model that docs/onnx.md names for exporters. */
class OwnExporterTest {

    @TempDir
    Path folder;

    @Test
    void a_model_file_has_all_that_an_exporter_needs() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Path path = drawn.run(drawn.recipe("stage1.epochs=0"), "first").model();
        try (ModelFile file = ModelFile.open(path);
                ConvolutionalBackbone backbone = file.backbone(Placement.cpu(Precision.FLOAT));
                Network network = file.network(Placement.cpu(Precision.FLOAT))) {
            List<BackboneStep> steps = backbone.steps(); // convolutions, poolings, residual blocks, with folded weights
            List<BranchConfig> branches = network.config().branches(); // records: tap, size, aggregator, descriptor
            Parameter transformation = network.parameter("branch1.transform1.W"); // by the names of the model file
            Map<String, String> metadata = file.metadata(); // classes, preprocessing, protocol
            assertThat(steps).isNotEmpty();
            assertThat(branches).hasSize(1);
            assertThat(transformation.value().size(1)).isEqualTo(4);
            assertThat(metadata).containsKeys("classes", "preprocessing");
        }
    }
}
