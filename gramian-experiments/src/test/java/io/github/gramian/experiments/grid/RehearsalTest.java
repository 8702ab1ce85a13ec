package io.github.gramian.experiments.grid;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class RehearsalTest {

    private static GridRun run(String recipe) {
        return new GridRun("grid", "dtd", "method", "Method", 2, 3, RecipeFile.parse(recipe, List.of()));
    }

    @Test
    void a_rehearsal_is_small_and_runs_every_step() {
        GridRun cut = Rehearsal.of(run("""
                views: {test: five}
                network:
                  branches:
                    - {tap: conv5_3, size: 224, convolution: 512, aggregator: {transforms: [{outputDim: 512}]}}
                    - {tap: fc7, convolution: 0, aggregator: {kind: fisher, components: 64}}
                stage1: {epochs: 60, rates: {convolution: 2}}
                stage2: {epochs: 30, batch: 2, trainFrom: conv1_1}
                """));
        assertThat(cut.grid()).isEqualTo("grid-rehearsal");
        assertThat(cut.place()).isEqualTo("dtd/method/s2-r3");
        Recipe recipe = cut.recipe();
        assertThat(recipe.views().test()).isEqualTo("five");
        var first = recipe.network().branches().get(0);
        assertThat(first.size()).isEqualTo(32);
        assertThat(first.convolution()).isEqualTo(16);
        assertThat(((AggregatorConfig.SpdMatrix) first.aggregator()).matrixSize(16))
                .isEqualTo(8);
        var second = recipe.network().branches().get(1);
        assertThat(second.convolution()).isZero();
        assertThat(second.aggregator().length(512)).isEqualTo(2 * 2 * 512);
        assertThat(recipe.stage1().batches().epochs()).isEqualTo(1);
        assertThat(recipe.stage1().rates().convolution()).isEqualTo(2);
        assertThat(recipe.stage2().batches().epochs()).isEqualTo(1);
        assertThat(recipe.stage2().batches().batch()).isEqualTo(2);
        assertThat(recipe.stage2().trainFrom()).isEqualTo("conv5_3");
    }

    @Test
    void stages_that_are_left_out_are_not_added() {
        Recipe recipe = Rehearsal.of(run("stage1: {epochs: 0}")).recipe();
        assertThat(recipe.stage1().batches().epochs()).isZero();
        assertThat(recipe.stage2().batches().epochs()).isZero();
        assertThat(recipe.stage2().trainFrom()).isNull();
        assertThat(recipe.network().branches().get(0).tap()).isEqualTo("last");
    }
}
