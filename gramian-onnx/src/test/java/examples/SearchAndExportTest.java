package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.Predictor;
import io.github.gramian.onnx.ExportReport;
import io.github.gramian.onnx.OnnxExport;
import io.github.gramian.run.Run;
import io.github.gramian.search.Search;
import io.github.gramian.search.SearchOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program "search and export" of docs/java.md, on drawn textures. */
class SearchAndExportTest {

    @TempDir
    Path folder;

    @Test
    void a_search_finds_a_recipe_and_its_model_is_exported() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Files.move(drawn.images(), folder.resolve("photos"));
        Files.move(drawn.weights(), folder.resolve("resnet50.safetensors"));
        Files.writeString(folder.resolve("space.yaml"), """
                name: small
                title: A small space
                common: {stage1: {epochs: 0}, backbone: {precision: float}}
                inputs:
                  near: {label: 64 px, branches: [{tap: last, size: 64}]}
                heads:
                  average: {label: average pooling, branches: [{convolution: 0, aggregator: average}]}
                  kernel: {label: kernel, branches: [{convolution: 8, aggregator: spd}]}
                """);
        searchAndExport();
        try (Predictor exported = Predictor.load(folder.resolve("best.onnx"))) {
            assertThat(exported.classes()).hasSameElementsAs(SmallRuns.CLASSES);
        }
    }

    private void searchAndExport() throws IOException {
        SearchOptions options = SearchOptions.trials(4).in(folder.resolve("space.yaml"));
        Search.Result found = Search.of(folder.resolve("photos"), folder.resolve("resnet50.safetensors"))
                .with(options)
                .into(folder.resolve("runs/best"));
        System.out.println("best of " + found.candidates() + ": " + found.candidate());

        Run run = Run.open(found.folder());
        ExportReport report = OnnxExport.of(run.model()).withPixelInput().to(folder.resolve("best.onnx"));
        System.out.println("largest difference " + report.parity().maxProbabilityDifference());
    }
}
