package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.TorchScriptBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.image.Normalisation;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of docs/backbones.md and docs/import-weights.md, with random weights. */
class LoadBackboneTest {

    @TempDir
    Path folder;

    @Test
    void a_weights_file_gives_the_features_of_its_taps() throws IOException {
        WeightsFile.writeRandom(
                folder.resolve("resnet50.safetensors"),
                new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 0),
                new Seed(1));
        try (Scope outer = Scope.open()) {
            Tensor images = new Seed(2).normal(Placement.cpu(Precision.FLOAT), 1, 3, 64, 64);
            Map<String, Tensor> found = features(images);
            assertThat(found.keySet()).containsExactlyInAnyOrder("res4f", "res5c");
        }
    }

    private Map<String, Tensor> features(Tensor images) throws IOException {
        try (Backbone backbone = WeightsFile.load(
                        folder.resolve("resnet50.safetensors"), BackboneOptions.frozen(Precision.BFLOAT16));
                Scope scope = Scope.open()) {
            Map<String, Tensor> features = backbone.features(images, List.of("res4f", "res5c"));
            return Map.copyOf(features);
        }
    }

    @Test
    void a_torchscript_file_is_a_backbone_with_named_outputs() throws IOException, NoSuchAlgorithmException {
        JitModule module = new JitModule(new QualifiedName("Net"));
        module.define("""
                def forward(self, x):
                    return torch.relu(x)
                """);
        Path file = folder.resolve("network.pt");
        module.save(file.toString());
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT);
        String hash =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        try (Backbone backbone = TorchScriptBackbone.load(
                file,
                hash,
                new TorchScriptBackbone.Interface(List.of("features"), Normalisation.TORCHVISION, 224),
                options)) {
            assertThat(backbone.taps()).hasSize(1);
        }
    }
}
