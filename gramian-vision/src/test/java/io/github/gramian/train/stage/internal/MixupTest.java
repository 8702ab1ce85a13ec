package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MixupTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static BatchTraining.Mixup draw(double alpha, long seed) {
        return BatchTraining.Mixup.draw(alpha, 7, DOUBLE, new Seed(seed));
    }

    @Test
    void every_row_is_mixed_with_its_partner() {
        BatchTraining.Mixup mixup = new BatchTraining.Mixup(0.75, torch.tensor(new long[] {2, 0, 1}));
        Tensor rows =
                torch.tensor(new long[] {4, 8, 16}).to(torch.ScalarType.Double).unsqueeze(1);
        Tensor expected = torch.tensor(new long[] {7, 7, 14}).unsqueeze(1);
        assertThat(mixup.mix(rows).sub(expected).norm().item_double()).isLessThan(1e-12);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_backward_pass_is_the_transpose_of_the_mixture(long seed) {
        BatchTraining.Mixup mixup = draw(1, seed);
        assertThat(mixup.share()).isBetween(0.5, 0.999);
        Tensor x = new Seed(seed).child("x").normal(DOUBLE, 7, 3, 4);
        Tensor g = new Seed(seed).child("g").normal(DOUBLE, 7, 3, 4);
        double forward = mixup.mix(List.of(x)).get(0).mul(g).sum().item_double();
        double backward = mixup.back(List.of(g)).get(0).mul(x).sum().item_double();
        assertThat(forward).isCloseTo(backward, within(1e-12));
        assertThat(mixup.mix(x).sub(x).norm().item_double()).isGreaterThan(1e-3);
    }

    /** Means by numerical integration (¾ for the uniform Beta(1, 1)); the variance of Beta(α, α) is 1/4(2α + 1). */
    @ParameterizedTest
    @CsvSource({"1, 0.75", "0.2, 0.899", "0.5, 0.8183"})
    void lambda_follows_a_beta_distribution(double alpha, double expectedMean) {
        double sum = 0;
        double spread = 0;
        int draws = 4000;
        for (int i = 0; i < draws; i++) {
            try (Scope each = Scope.open()) {
                double share = draw(alpha, i).share();
                sum += share;
                spread += (share - 0.5) * (share - 0.5);
            }
        }
        assertThat(sum / draws).isCloseTo(expectedMean, within(0.01));
        assertThat(spread / draws).isCloseTo(0.25 / (2 * alpha + 1), within(0.006));
    }

    @Test
    void no_alpha_leaves_everything_as_it_is() {
        BatchTraining.Mixup none = draw(0, 1);
        List<Tensor> maps = List.of(new Seed(1).normal(DOUBLE, 7, 2, 2));
        assertThat(none.mix(maps).get(0)).isSameAs(maps.get(0));
        assertThat(none.back(maps)).isSameAs(maps);
        assertThat(draw(0.4, 5).share())
                .isEqualTo(draw(0.4, 5).share())
                .isNotEqualTo(draw(0.4, 6).share());
        assertThat(draw(0.4, 5).partners().equal(draw(0.4, 5).partners())).isTrue();
        assertThat(none.partners().sum().eq(scalar(21L)).item_bool()).isTrue();
    }

    @Test
    void a_training_with_mixup_and_dropout_is_repeatable_and_another_one_than_without() throws IOException {
        SmallRuns runs = SmallRuns.in(folder);
        String[] settings = {"stage1.mixup=0.4", "network.branches.0.descriptor.dropout=0.2", "stage1.keep=last"};
        runs.run(runs.recipe(settings), "once");
        runs.run(runs.recipe(settings), "twice");
        runs.run(runs.recipe("stage1.keep=last", settings[1]), "dropout");
        runs.run(runs.recipe("stage1.keep=last"), "plain");
        assertThat(runs.weightsHash("twice")).isEqualTo(runs.weightsHash("once"));
        assertThat(runs.weightsHash("dropout")).isNotEqualTo(runs.weightsHash("once"));
        assertThat(runs.weightsHash("plain")).isNotEqualTo(runs.weightsHash("dropout"));
        assertThatThrownBy(() -> runs.recipe("stage1.mixup=3")).hasMessageContaining("mixup must be 0 for none");
    }
}
