package sample;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.onnx.ExportReport;
import io.github.gramian.onnx.OnnxExport;
import io.github.gramian.run.Run;
import io.github.gramian.search.Search;
import io.github.gramian.search.SearchOptions;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares two recipes on a directory of images, trains the better one and exports its model. */
public final class SearchAndExport {

    /** Two descriptors of small images; without a file, Gramian searches its standard space. */
    private static final String SPACE = """
            name: small
            title: A small space
            common: {stage1: {epochs: 0}, backbone: {precision: float}}
            inputs:
              near: {label: 64 px, branches: [{tap: last, size: 64}]}
            heads:
              average: {label: average pooling, branches: [{convolution: 0, aggregator: average}]}
              kernel: {label: kernel, branches: [{convolution: 8, aggregator: spd}]}
            """;

    private SearchAndExport() {}

    /**
     * Writes {@code runs/best} and {@code best.onnx} into a directory.
     *
     * @return the ONNX file
     */
    static Path run(Path photos, Path folder) throws IOException {
        Path weights = folder.resolve("tiny.safetensors");
        WeightsFile.writeRandom(
                weights, new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), new Seed(1));
        Path space = Files.writeString(folder.resolve("space.yaml"), SPACE);
        Search.Result found = Search.of(photos, weights)
                .with(SearchOptions.trials(4).in(space))
                .into(folder.resolve("runs/best"));
        System.out.println("best of " + found.candidates() + ": " + found.candidate());

        Path exported = folder.resolve("best.onnx");
        Run run = Run.open(found.folder());
        ExportReport report = OnnxExport.of(run.model()).withPixelInput().to(exported);
        System.out.println("largest difference " + report.parity().maxProbabilityDifference());
        return exported;
    }
}
