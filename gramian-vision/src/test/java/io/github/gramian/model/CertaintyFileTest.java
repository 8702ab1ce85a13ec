package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.CertaintyFile;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a model file stores about training images for novelty and sets. */
class CertaintyFileTest extends ModelFileFixture {

    /** Two classes, one component of sketches of two dimensions. */
    static ModelCertainty certainty() {
        Novelty.Densities densities = new Novelty.Densities(
                new float[] {0, 0},
                1,
                new float[] {1, 0},
                new float[] {1},
                new float[] {0.5f, -0.5f},
                new float[] {1, 3},
                new float[] {1, 1});
        return new ModelCertainty(
                Optional.of(new Novelty(densities, new float[] {0.5f, 0.25f})),
                Optional.of(new PredictionSets(PredictionSets.Source.VALIDATION, new float[] {0.9f, 0.1f})));
    }

    private Path written() throws IOException {
        Path file = folder.resolve("certain.gramian");
        StoredModel.write(
                file,
                description(false),
                network,
                name -> new Tensor(),
                new TrainingImages(KnownImages.none(), certainty()));
        return file;
    }

    @Test
    void a_model_file_returns_what_it_stores() throws IOException {
        try (StoredModel open = StoredModel.open(written());
                SafetensorsFile tensors = SafetensorsFile.open(written())) {
            open.verify();
            requireEqual(open.reference());
            assertThat(tensors.entry("novelty/components").shape()).containsExactly(1L, 2L);
            assertThat(tensors.entry("novelty/class-means").shape()).containsExactly(2L, 1L);
            assertThat(tensors.contains("novelty/mean")).isTrue();
            assertThat(tensors.contains("novelty/calibration")).isTrue();
            assertThat(tensors.contains("sets/validation")).isTrue();
        }
    }

    @Test
    void a_string_returns_what_it_stores() {
        requireEqual(CertaintyFile.read(CertaintyFile.text(certainty())));
        assertThat(CertaintyFile.read(CertaintyFile.text(ModelCertainty.none())))
                .isEqualTo(ModelCertainty.none());
    }

    private static void requireEqual(ModelCertainty found) {
        Novelty novelty = found.novelty().orElseThrow();
        assertThat(novelty.densities())
                .usingRecursiveComparison()
                .isEqualTo(certainty().novelty().orElseThrow().densities());
        assertThat(novelty.calibration()).containsExactly(0.25f, 0.5f);
        PredictionSets sets = found.sets().orElseThrow();
        assertThat(sets.source()).isEqualTo(PredictionSets.Source.VALIDATION);
        assertThat(sets.scores()).containsExactly(0.1f, 0.9f);
    }

    /** Computed by hand from docs/model-format.md: y = 0, e = 1; the second class has a = −0.375 and v = 1.25. */
    @Test
    void scores_are_those_of_the_page() {
        Novelty novelty = certainty().novelty().orElseThrow();
        assertThat(novelty.score(new float[] {0, 2}))
                .isCloseTo((float) (0.375 * 0.375 / 1.25 + Math.log(1.25) - Math.log(2) + 0.5), within(1e-5f));
        assertThat(novelty.pValue(new float[] {0, 2})).isEqualTo(1);
    }

    @Test
    void a_model_that_was_never_trained_stores_nothing() throws IOException {
        try (StoredModel open = StoredModel.open(model)) {
            assertThat(open.reference()).isEqualTo(ModelCertainty.none());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "type":"F16","shape":[1,2]   | "type":"F32","shape":[1,2]
            "type":"F16","shape":[1,2]   | "type":"F16","shape":[2,1]
            "type":"F16","shape":[1,2]   | "type":"F16","shape":[2]
            "type":"F16","shape":[1,2]   | "type":"F16","shape":[-1,-2]
            "type":"F16","shape":[1,2]   | "type":"F16","shape":[4611686018427387904,4611686018427387904]
            "type":"F16","shape":[1,2]   | "type":"F16","shape":null
            "type":"F16","shape":[1,2]   | "type":"F16","shape":[]
            "type":"F16","shape":[1,2]   | "type":"U8","shape":[1,2]
            "type":"F16","shape":[2,1]   | "type":"F16","shape":[1,2]
            novelty/class-counts         | novelty/nothing
            "data":"ADwAAA=="            | "data":"AHwAAA=="
            "data":"ADwAAA=="            | "data":"ADwA"
            "data":"ADwAAA=="            | "data":"?"
            "data":"AACAPw=="            | "data":"AACAvw=="
            "data":"AACAPwAAQEA="        | "data":"AAAAAAAAQEA="
            "data":"zczMPWZmZj8="        | "data":"AADAf2ZmZj8="
            "data":"zczMPWZmZj8="        | "data":"AAAAQGZmZj8="
            "data":"zczMPWZmZj8="        | "data":"zczMvWZmZj8="
            "data":"zczMPWZmZj8="        | "data":"zczMPQ=="
            """)
    void what_is_damaged_is_refused(String good, String bad) {
        String text = CertaintyFile.text(certainty());
        assertThat(text).contains(good);
        assertThatThrownBy(() -> CertaintyFile.read(text.replace(good, bad)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("Exception");
    }
}
