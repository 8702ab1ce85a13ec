package io.github.gramian.onnx.export.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.OfficialChecker;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.internal.Parity;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole models of several backbones, sizes and branches, against themselves in double. */
class ExportParityTest {

    private static final double TOLERANCE = 1e-5;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"false,false", "true,true"})
    void branches_of_several_layers_and_sizes_stand_side_by_side(boolean pixels, boolean external) throws IOException {
        NetworkConfig network = new NetworkConfig(
                List.of(
                        BranchConfig.kernel("res4a", 96, 10, 4),
                        BranchConfig.average("res3b", 64),
                        BranchConfig.kernel("res3b", 64, 8, 8),
                        BranchConfig.average("layer3.1", 64)),
                6);
        Path model = SmallModels.write(folder.resolve("model.gramian"), network);
        assertThat(exported(model, pixels, external).toDouble().max()).isLessThan(TOLERANCE);
    }

    /** ResNet-50 and ConvNeXt are exported in every build, too: without a head, in {@code OnnxFeatureEngineTest}. */
    @ParameterizedTest
    @CsvSource({"VGG16,KERAS,conv3_3,64,true", "VITS14,DINOV2_REGISTERS,block2,56,true"})
    void backbones_without_residual_convolutions_compute_what_they_do_here(
            Architecture architecture, Variant variant, String tap, int size, boolean pixels) throws IOException {
        every_backbone_computes_what_it_does_here(architecture, variant, tap, size, pixels);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"RESNET50,KERAS,res2c,64,false", "CONVNEXT_TINY,TORCHVISION,stage3_2,64,false"})
    void every_backbone_computes_what_it_does_here(
            Architecture architecture, Variant variant, String tap, int size, boolean pixels) throws IOException {
        NetworkConfig network = new NetworkConfig(List.of(BranchConfig.kernel(tap, size, 10, 6)), 6);
        Path model = SmallModels.write(
                folder.resolve("model.gramian"), network, new BackboneConfig(architecture, variant, 0));
        assertThat(exported(model, pixels, false).toDouble().max()).isLessThan(TOLERANCE);
    }

    /** Exports, has the official checker look, and compares. */
    private ParityReport exported(Path model, boolean pixels, boolean external) throws IOException {
        Path file = folder.resolve("model.onnx");
        try (StoredModel open = StoredModel.open(model);
                LoadedModel loaded = LoadedModel.of(open, Placement.cpu(Precision.FLOAT))) {
            if (external) {
                OnnxFile.writeExternal(file, loaded.graph(pixels), loaded.about());
            } else {
                OnnxFile.write(file, loaded.graph(pixels), loaded.about());
            }
            OfficialChecker.check(file);
            ParityReport report = Parity.of(file, pixels, open, loaded, SampleImages.drawn(3, new Seed(5)));
            assertThat(report.toDouble().topAgreement()).isEqualTo(1);
            assertThat(report.images()).isEqualTo(3);
            return report;
        }
    }
}
