package io.github.gramian.backbone.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.Tap;
import io.github.gramian.check.Needs;
import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * ConvNeXt and DINOv2's transformers give the features of PyTorch scripts at every tap, for a wide and a square image,
 * from the files of each publisher.
 */
@Tag("slow")
@Needs(Tool.TORCHVISION)
class ModernBackbonesTest {

    private static final Path PROGRAM =
            Path.of("src/test/resources/io/github/gramian/backbone/weights/save_modern_networks.py");

    @TempDir
    static Path folder;

    /** Networks that the Python script has written already; it writes each of them once. */
    private static final Set<String> SAVED = new HashSet<>();

    @ParameterizedTest
    @CsvSource({
        "convnext_tiny, torchvision, convnext_tiny, torchvision",
        "vits14, dinov2-registers, vits14-dinov2-registers, dinov2-registers"
    })
    void every_tap_agrees_with_python(String network, String publisher, String expected, String variant)
            throws IOException {
        agree(network, publisher, expected, variant, true);
    }

    /** A weight under another publisher's name that went to the wrong place is seen at the last tap. */
    @ParameterizedTest
    @CsvSource({
        "convnext_tiny, timm, convnext_tiny, torchvision",
        "convnext_tiny, original, convnext_tiny, torchvision",
        "vits14, dinov2, vits14-dinov2, dinov2",
        "vits14, timm, vits14-timm, timm",
        "vits14, timm-registers, vits14-dinov2-registers, dinov2-registers"
    })
    void the_last_tap_agrees_with_python(String network, String publisher, String expected, String variant)
            throws IOException {
        agree(network, publisher, expected, variant, false);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "convnext_small, torchvision, convnext_small, torchvision",
        "convnext_base, torchvision, convnext_base, torchvision",
        "vitb14, dinov2, vitb14-dinov2, dinov2",
        "vitb14, dinov2-registers, vitb14-dinov2-registers, dinov2-registers",
        "vitl14, dinov2, vitl14-dinov2, dinov2"
    })
    void larger_networks_agree_with_python(String network, String publisher, String expected, String variant)
            throws IOException {
        agree(network, publisher, expected, variant, true);
    }

    private static void agree(String network, String publisher, String expected, String variant, boolean everyTap)
            throws IOException {
        if (!SAVED.contains(network)) {
            PythonProgram.run(PROGRAM, folder, network);
            SAVED.add(network);
        }
        Path weights = folder.resolve("imported");
        WeightsImport.Report report = WeightsImport.run(
                new WeightsImport.Request(
                        folder.resolve(network + "-" + publisher), Architecture.named(network), null, "test"),
                weights);
        assertThat(report.config().variant().key()).isEqualTo(variant);
        double worst = 0;
        Set<String> seen = new HashSet<>();
        try (Backbone backbone = WeightsFile.load(weights, BackboneOptions.frozen(Precision.FLOAT));
                SafetensorsFile python = SafetensorsFile.open(folder.resolve(expected + "-expected"))) {
            List<String> taps = backbone.taps().stream().map(Tap::name).toList();
            List<String> compared = everyTap ? taps : taps.subList(taps.size() - 1, taps.size());
            for (TensorEntry entry : python.entries()) {
                String[] place = entry.name().split("@", 2);
                if (compared.contains(place[0])) {
                    worst = Math.max(worst, apart(backbone, python, place[0], place[1]));
                    seen.add(place[0]);
                }
            }
            assertThat(seen).containsExactlyInAnyOrderElementsOf(compared);
        }
        System.out.printf(
                Locale.ROOT, "%s from %s: %.1e at the worst of %d taps%n", network, publisher, worst, seen.size());
        Files.delete(weights);
    }

    /** max |ours − Python's| / max |Python's|. */
    private static double apart(Backbone backbone, SafetensorsFile python, String tap, String number)
            throws IOException {
        try (Scope scope = Scope.open()) {
            Tensor theirs = python.tensor(tap + "@" + number);
            Tensor ours = backbone.features(python.tensor("images@" + number), tap);
            assertThat(ours.sizes().vec().get())
                    .as(tap)
                    .containsExactly(theirs.sizes().vec().get());
            double scale = theirs.abs().max().item_double();
            assertThat(scale).as(tap).isBetween(1e-2, 1e4);
            double relative = theirs.sub(ours).abs().max().item_double() / scale;
            assertThat(relative).as(tap + " of images " + number).isLessThan(1e-4);
            return relative;
        }
    }
}
