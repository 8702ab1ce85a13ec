package io.github.gramian.train.stage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StageRatesTest {

    private static final Recipe RECIPE = RecipeFile.parse("""
        stage1:
          weightDecay: 0.01
          rates: {classifier: 0.6, bias: 0.2, convolution: 0.3, convolutionClip: 3, transform: 0.4, transformClip: 4,
            backbone: 0.5, backboneClip: 5}
        """, List.of());
    private static final StageRunner.StageRates RATES = new StageRunner.StageRates(RECIPE.stage1(), 10, 2);

    private static Tensor eye() {
        return torch.eye(2, Placement.cpu(Precision.DOUBLE).options());
    }

    @ParameterizedTest
    @CsvSource({
        "CLASSIFIER, 0.3, Infinity, 0.01",
        "CLASSIFIER_BIAS, 0.2, Infinity, 0",
        "CONVOLUTION, 0.3, 3, 0.01",
        "CODEBOOK, 0.3, 3, 0.01",
        "TRANSFORM, 0.4, 4, 0",
        "BACKBONE, 0.5, 5, 0.01"
    })
    void the_role_picks_rate_clip_and_decay_whatever_the_name(
            Parameter.Role role, double rate, double clip, double decay) {
        for (String name : List.of("classifier.weight", "backbone.conv1.weight", "anything")) {
            try (Scope scope = Scope.open();
                    Parameter parameter = Parameter.of(name, role, eye(), Stiefel.paper())) {
                assertThat(RATES.groups(List.of(parameter)))
                        .containsExactly(new ParameterGroup(List.of(parameter), rate, clip, decay));
            }
        }
    }

    @Test
    void the_rate_of_the_backbone_falls_from_block_to_block() {
        Recipe decayed = RecipeFile.parse("", List.of("stage2.rates.backbone=0.5", "stage2.rates.layerDecay=0.3"));
        StageRunner.StageRates rates =
                new StageRunner.StageRates(decayed.stage2(), 10, 1, Map.of("front", 2, "middle", 1, "back", 0));
        for (Map.Entry<String, Double> expected : Map.of("front", 0.5 * 0.3 * 0.3, "middle", 0.5 * 0.3, "back", 0.5)
                .entrySet()) {
            try (Scope scope = Scope.open();
                    Parameter parameter = Parameter.of(expected.getKey(), Parameter.Role.BACKBONE, eye())) {
                assertThat(rates.groups(List.of(parameter)).get(0).rateFactor())
                        .isCloseTo(expected.getValue(), within(1e-15));
            }
        }
    }

    @Test
    void a_statistic_has_no_learning_rate() {
        try (Scope scope = Scope.open();
                Parameter mean = Parameter.statistic("mean", eye())) {
            assertThat(RATES.groups(List.of(mean)))
                    .allSatisfy(group -> assertThat(group.parameters()).isEmpty());
        }
    }
}
