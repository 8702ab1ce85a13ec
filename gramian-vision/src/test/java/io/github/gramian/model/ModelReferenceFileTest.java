package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelReference;
import io.github.gramian.model.internal.ReferenceText;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.model.novelty.internal.ClassDensities;
import io.github.gramian.model.novelty.internal.Half;
import io.github.gramian.model.novelty.internal.LikelihoodRatio;
import io.github.gramian.model.novelty.internal.NearestPrototypes;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a model file stores about training images for novelty and sets. */
class ModelReferenceFileTest extends ModelFileFixture {

    /** Sketches of three dimensions, two components, two prototypes. */
    static ModelReference reference() {
        return new ModelReference(
                Optional.of(new NoveltyReference(
                        new float[] {0.1f, 0.2f, 0.3f},
                        Half.bits(new float[] {1, 0, 0, 0, 1, 0}),
                        Half.bits(new float[] {1, 0, 0, 1}),
                        new float[] {0.5f, 0.25f})),
                Optional.of(new SetScores(SetScores.Source.VALIDATION, new float[] {0.9f, 0.1f})));
    }

    /** The second version: two classes, one component of sketches of two dimensions. */
    static ModelReference second() {
        ClassDensities densities = new ClassDensities(
                new float[] {0, 0},
                1,
                new float[] {1, 0},
                new float[] {1},
                new float[] {0.5f, -0.5f},
                new float[] {1, 3},
                new float[] {1, 1});
        NoveltyReference novelty = new NoveltyReference(new LikelihoodRatio(densities), new float[] {0.5f, 0.25f});
        return new ModelReference(Optional.of(novelty), Optional.empty());
    }

    private Path withReference() throws IOException {
        return withReference(reference());
    }

    private Path withReference(ModelReference reference) throws IOException {
        Path file = folder.resolve("referenced.gramian");
        StoredModel.write(
                file,
                description(false),
                network,
                name -> new Tensor(),
                new TrainingImages(KnownImages.none(), reference));
        return file;
    }

    @Test
    void a_model_file_returns_its_reference() throws IOException {
        try (StoredModel open = StoredModel.open(withReference());
                SafetensorsFile tensors = SafetensorsFile.open(withReference())) {
            open.verify();
            requireEqual(open.reference());
            assertThat(tensors.entry("novelty/components").shape()).containsExactly(2L, 3L);
            assertThat(tensors.entry("novelty/prototypes").shape()).containsExactly(2L, 2L);
            assertThat(tensors.contains("novelty/mean")).isTrue();
            assertThat(tensors.contains("novelty/calibration")).isTrue();
            assertThat(tensors.contains("sets/validation")).isTrue();
        }
    }

    @Test
    void a_string_returns_its_reference() {
        requireEqual(ReferenceText.read(ReferenceText.of(reference())));
        assertThat(ReferenceText.read(ReferenceText.of(ModelReference.none()))).isEqualTo(ModelReference.none());
    }

    @Test
    void the_second_version_comes_back_from_files_and_strings() throws IOException {
        List<ModelReference> all = new ArrayList<>();
        all.add(ReferenceText.read(ReferenceText.of(second())));
        try (StoredModel open = StoredModel.open(withReference(second()));
                SafetensorsFile tensors = SafetensorsFile.open(withReference(second()))) {
            open.verify();
            all.add(open.reference());
            // Programs that only know the first version look for this tensor.
            assertThat(tensors.contains("novelty/mean")).isFalse();
        }
        ClassDensities written = densities(second());
        for (ModelReference found : all) {
            assertThat(densities(found)).usingRecursiveComparison().isEqualTo(written);
            assertThat(found.novelty().orElseThrow().calibration()).containsExactly(0.25f, 0.5f);
        }
    }

    private static ClassDensities densities(ModelReference reference) {
        return ((LikelihoodRatio) reference.novelty().orElseThrow().score()).densities();
    }

    /** Computed by hand from docs/model-format.md. */
    @Test
    void scores_are_those_of_the_page() {
        NoveltyReference first = reference().novelty().orElseThrow();
        assertThat(first.score().score(new float[] {2, 0, 0})).isCloseTo(0.889159f, within(1e-5f));
        assertThat(first.novelty(new float[] {2, 0, 0})).isEqualTo(1 / 3.0);
        NoveltyReference second = second().novelty().orElseThrow();
        // y = 0, e = 1; the second class has a = −0.375 and v = 1.25.
        assertThat(second.score().score(new float[] {0, 2}))
                .isCloseTo((float) (0.375 * 0.375 / 1.25 + Math.log(1.25) - Math.log(2) + 0.5), within(1e-5f));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "novelty/2/class-counts"     | "novelty/2/nothing"
            "type":"F16","shape":[2,1]   | "type":"F16","shape":[1,2]
            "type":"F16","shape":[1,2]   | "type":"F16","shape":[2,1]
            "data":"AACAPw=="            | "data":"AACAvw=="
            "data":"AACAPwAAQEA="        | "data":"AAAAAAAAQEA="
            """)
    void a_damaged_second_version_is_refused(String good, String bad) {
        String text = ReferenceText.of(second());
        assertThat(text).contains(good);
        assertThatThrownBy(() -> ReferenceText.read(text.replace(good, bad)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("Exception");
    }

    private static void requireEqual(ModelReference found) {
        NoveltyReference novelty = found.novelty().orElseThrow();
        NearestPrototypes score = (NearestPrototypes) novelty.score();
        assertThat(score.mean()).containsExactly(0.1f, 0.2f, 0.3f);
        assertThat(Half.values(score.components())).containsExactly(1, 0, 0, 0, 1, 0);
        assertThat(Half.values(score.prototypes())).containsExactly(1, 0, 0, 1);
        assertThat(novelty.calibration()).containsExactly(0.25f, 0.5f);
        SetScores sets = found.sets().orElseThrow();
        assertThat(sets.source()).isEqualTo(SetScores.Source.VALIDATION);
        assertThat(sets.scores()).containsExactly(0.1f, 0.9f);
    }

    @Test
    void models_of_earlier_versions_have_no_reference() throws IOException {
        try (StoredModel open = StoredModel.open(model)) {
            assertThat(open.reference()).isEqualTo(ModelReference.none());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "type":"F16","shape":[2,3]   | "type":"F32","shape":[2,3]
            "type":"F16","shape":[2,3]   | "type":"F16","shape":[3,2]
            "type":"F16","shape":[2,3]   | "type":"F16","shape":[6]
            "type":"F16","shape":[2,3]   | "type":"F16","shape":[-2,-3]
            "type":"F16","shape":[2,3]   | "type":"F16","shape":[4611686018427387904,4611686018427387904]
            "type":"F16","shape":[2,3]   | "type":"F16","shape":null
            "type":"F16","shape":[2,3]   | "type":"F16","shape":[]
            "type":"F16","shape":[2,3]   | "type":"U8","shape":[2,3]
            novelty/prototypes           | novelty/nothing
            "data":"ADwAAAAAAAAAPAAA"    | "data":"AHwAAAAAAAAAPAAA"
            "data":"ADwAAAAAAAAAPAAA"    | "data":"ADwAAAAAAAAAPA=="
            "data":"ADwAAAAAAAAAPAAA"    | "data":"?"
            "data":"zczMPWZmZj8="        | "data":"AADAf2ZmZj8="
            "data":"zczMPWZmZj8="        | "data":"AAAAQGZmZj8="
            "data":"zczMPWZmZj8="        | "data":"zczMvWZmZj8="
            "data":"zczMPWZmZj8="        | "data":"zczMPQ=="
            """)
    void a_damaged_reference_is_refused(String good, String bad) {
        String text = ReferenceText.of(reference());
        assertThat(text).contains(good);
        assertThatThrownBy(() -> ReferenceText.read(text.replace(good, bad)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("Exception");
    }
}
