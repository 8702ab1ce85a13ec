package io.github.gramian.layer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.layer.DescriptorCentring;
import io.github.gramian.layer.Dropout;
import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.internal.RunningMean.MeanParameter;
import io.github.gramian.layer.internal.ShardPhase.BatchShard;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers that are not per-sample, in processes that see a shard of the batch each. */
class BatchShardTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void dropout_of_a_shard_drops_what_dropout_of_the_batch_drops(long seed) {
        Dropout dropout = new Dropout("d", 0.5);
        Tensor rows = torch.ones(new long[] {5, 11}, DOUBLE.options());
        Tensor whole = dropout.forward(rows, Phase.training(new Seed(seed))).output();
        Tensor part = dropout.forward(rows.narrow(0, 2, 2), new ShardPhase(new Seed(seed), new BatchShard(2, 2, 5)))
                .output();
        assertThat(HostCopy.floats(part)).isEqualTo(HostCopy.floats(whole.narrow(0, 2, 2)));
    }

    @Test
    void means_of_shards_add_up_to_the_mean_of_the_batch() {
        try (DescriptorCentring whole = new DescriptorCentring("whole", 3, 0.2, DOUBLE);
                DescriptorCentring shared = new DescriptorCentring("shared", 3, 0.2, DOUBLE)) {
            Tensor known = new Seed(1).normal(DOUBLE, 3);
            whole.start(known, 1);
            shared.start(known, 1);
            Tensor rows = new Seed(2).normal(DOUBLE, 5, 3);
            float[] centred = HostCopy.floats(
                    whole.forward(rows, Phase.training(new Seed(3))).output());
            Tensor first = shared.forward(rows.narrow(0, 0, 2), new ShardPhase(new Seed(3), new BatchShard(0, 2, 5)))
                    .output();
            Tensor second = shared.forward(rows.narrow(0, 2, 3), new ShardPhase(new Seed(3), new BatchShard(2, 3, 5)))
                    .output();
            assertThat(HostCopy.floats(torch.cat(new org.bytedeco.pytorch.TensorVector(first, second), 0)))
                    .isEqualTo(centred);
            MeanParameter mean = (MeanParameter) shared.parameters().get(0);
            assertThat(HostCopy.floats(mean.value())).isEqualTo(HostCopy.floats(known));
            mean.foldIn();
            assertThat(mean.value()
                            .sub(whole.parameters().get(0).value())
                            .norm()
                            .item_double())
                    .isLessThan(1e-15);
            assertThat(mean.gradient().norm().item_double()).isZero();
        }
    }

    @Test
    void a_weight_is_not_a_running_mean() {
        try (FullyConnected layer = FullyConnected.zeros("c", 2, 2, DOUBLE)) {
            Parameter weight = layer.parameters().get(0);
            assertThat(weight).isNotInstanceOf(MeanParameter.class);
        }
    }

    @Test
    void a_shard_lies_within_its_batch() {
        assertThatThrownBy(() -> new BatchShard(3, 3, 5)).hasMessageContaining("rows 3 to 5", "batch of 5");
        assertThatThrownBy(() -> new BatchShard(0, 0, 5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BatchShard(-1, 2, 5)).isInstanceOf(IllegalArgumentException.class);
    }
}
