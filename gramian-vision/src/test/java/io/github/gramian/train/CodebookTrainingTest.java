package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Aggregators with a codebook, from images to an evaluated model. */
class CodebookTrainingTest {

    private static final String AGGREGATOR = "network.branches.0.aggregator=";

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    private static float[] tensor(String run, String name) throws IOException {
        try (Scope scope = Scope.open();
                SafetensorsFile model = SafetensorsFile.open(new RunFolder(runs.path(run)).model())) {
            return HostCopy.floats(model.tensor("network/branch1." + name));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fisher | {kind: fisher, components: 4} | fisher.means",
                "vlad | {kind: vlad, centres: 4, intraNormalisation: true} | vlad.centres",
                "encoding | {kind: encoding, codewords: 4} | encoding.codewords",
                "encoder | {kind: random-encoder, hidden: 1, encoders: 4, ridge: 0.001} | encoder.mean"
            })
    void only_ridge_learns_on_a_codebook_and_is_repeatable(String name, String aggregator, String codebook)
            throws IOException {
        Recipe recipe = runs.recipe("stage1.epochs=0", AGGREGATOR + aggregator);
        Run outcome = runs.run(recipe, name);
        assertThat(outcome.scores().accuracy()).isGreaterThan(0.6);
        runs.run(recipe, name + " again");
        assertThat(runs.weightsHash(name + " again")).isEqualTo(runs.weightsHash(name));
        runs.run(runs.recipe("stage1.epochs=0", "seed=8", AGGREGATOR + aggregator), name + " other");
        assertThat(tensor(name + " other", codebook)).isNotEqualTo(tensor(name, codebook));
    }

    @Test
    void descent_moves_the_codewords_and_smoothing_of_an_encoding() throws IOException {
        String aggregator = AGGREGATOR + "{kind: encoding, codewords: 4}";
        runs.run(runs.recipe("stage1.epochs=0", aggregator), "start");
        runs.run(runs.recipe("stage1.epochs=2", "data.validation=0", aggregator), "descended");
        assertThat(runs.bestEpoch("descended", 1)).isPositive();
        for (String name : new String[] {"encoding.codewords", "encoding.logSmoothing"}) {
            assertThat(tensor("descended", name)).isNotEqualTo(tensor("start", name));
        }
    }

    @Test
    void fisher_vectors_and_averages_stand_side_by_side() throws IOException {
        Recipe recipe = RecipeFile.parse(
                RecipeFile.text(runs.recipe("stage1.epochs=0", AGGREGATOR + "{kind: fisher, components: 3}")),
                java.util.List.of(
                        "network.branches=[{aggregator: {kind: fisher, components: 3}}, {convolution: 0, aggregator: average}]"));
        assertThat(recipe.network().branches()).hasSize(2);
        assertThat(runs.run(recipe, "both").scores().accuracy()).isGreaterThan(0.6);
    }

    @Test
    void a_codebook_larger_than_the_data_is_refused_with_advice() {
        Recipe recipe = runs.recipe("stage1.epochs=0", AGGREGATOR + "{kind: fisher, components: 5000}");
        assertThatThrownBy(() -> runs.run(recipe, "too large")).hasMessageContaining("smaller codebook");
    }
}
