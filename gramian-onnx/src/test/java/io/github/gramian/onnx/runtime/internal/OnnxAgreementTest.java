package io.github.gramian.onnx.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.Reading;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.export.internal.LoadedModel;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An exported model computes the same in ONNX Runtime as in LibTorch in float. */
class OnnxAgreementTest {

    private static final float TOLERANCE = 1e-5f;

    @TempDir
    static Path folder;

    private static Path model = Path.of("");
    private static List<Path> files = List.of();

    /** Two scales and two branches. */
    @BeforeAll
    static void write_model_and_images() throws IOException {
        AggregatorConfig matrix = new AggregatorConfig.SpdMatrix(
                AggregationConfig.standard(Fidelity.EXACT), List.of(TransformConfig.to(6)));
        BranchConfig average = new BranchConfig(
                "res4b",
                96,
                0,
                false,
                new AggregatorConfig.Average(),
                new DescriptorConfig(0, -1, 0.1, Fidelity.EXACT));
        model = SmallModels.write(
                folder.resolve("model.gramian"), new NetworkConfig(List.of(average, SmallModels.branch(matrix)), 8));
        List<Path> all = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            String format = i % 2 == 0 ? "png" : "bmp";
            all.add(Files.write(
                    folder.resolve("image" + i), Fixtures.file(Fixtures.picture(90 + 17 * i, 120 - 5 * i, i), format)));
        }
        all.add(4, Files.writeString(folder.resolve("broken.png"), "no picture"));
        all.add(folder.resolve("absent.jpg"));
        files = List.copyOf(all);
    }

    static Path export(boolean pixels) throws IOException {
        Path file = folder.resolve(pixels ? "pixels.onnx" : "images.onnx");
        try (StoredModel opened = StoredModel.open(model);
                LoadedModel loaded = LoadedModel.of(opened, Placement.cpu(Precision.FLOAT))) {
            OnnxFile.write(file, loaded.graph(pixels), loaded.about());
        }
        return file;
    }

    private static void equal(BatchPredictor ours, BatchPredictor exported) {
        List<Reading> expected = new ArrayList<>();
        List<Reading> found = new ArrayList<>();
        ours.describe(files, LoaderSettings.defaults(4), expected::add);
        exported.describe(files, LoaderSettings.defaults(3), found::add);
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(found.get(i).prediction().image())
                    .isEqualTo(expected.get(i).prediction().image());
            assertThat(found.get(i).prediction().rejection())
                    .isEqualTo(expected.get(i).prediction().rejection());
            assertThat(found.get(i).descriptor())
                    .containsExactly(expected.get(i).descriptor(), within(TOLERANCE));
            assertThat(found.get(i).prediction().probabilities())
                    .containsExactly(expected.get(i).prediction().probabilities(), within(TOLERANCE));
            if (expected.get(i).prediction().rejection().isEmpty()) {
                equalCertainty(expected.get(i).prediction(), found.get(i).prediction());
            }
        }
        assertThat(found.get(4).prediction().rejection()).isPresent();
        assertThat(found.get(0).prediction().probabilities()).hasSize(SmallModels.CLASSES.size());
    }

    /** The novelty is a rank among 1,000 scores, which a distance that differs in its last bits may change by one or two. */
    private static void equalCertainty(Prediction ours, Prediction exported) {
        assertThat(exported.novelty().orElseThrow()).isCloseTo(ours.novelty().orElseThrow(), within(2.5 / 1000));
        for (double coverage : new double[] {0.5, 0.8, 0.95}) {
            assertThat(exported.set(coverage))
                    .extracting(Prediction.Candidate::label)
                    .containsExactlyElementsOf(ours.set(coverage).stream()
                            .map(Prediction.Candidate::label)
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answers_are_those_of_libtorch(boolean pixels) throws IOException {
        Path file = export(pixels);
        try (BatchPredictor ours = BatchPredictor.load(model, Precision.FLOAT);
                BatchPredictor exported = BatchPredictor.load(file)) {
            assertThat(exported.classes()).isEqualTo(ours.classes());
            assertThat(exported.description()).isEqualTo(ours.description());
            assertThat(exported.descriptorLength()).isEqualTo(ours.descriptorLength());
            equal(ours, exported);
        }
    }

    @Test
    void weights_in_a_separate_file_are_found() throws IOException {
        Path file = Files.createDirectories(folder.resolve("external")).resolve("model.onnx");
        try (StoredModel opened = StoredModel.open(model);
                LoadedModel loaded = LoadedModel.of(opened, Placement.cpu(Precision.FLOAT))) {
            OnnxFile.writeExternal(file, loaded.graph(false), loaded.about());
        }
        try (BatchPredictor ours = BatchPredictor.load(model, Precision.FLOAT);
                BatchPredictor exported = BatchPredictor.load(file)) {
            equal(ours, exported);
        }
    }
}
