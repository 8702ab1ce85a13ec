package io.github.gramian.feature.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.HashSet;
import java.util.Set;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalFeatureSampleTest {

    private static final int BATCHES = 40;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** Batches of 5 images × 2 channels × 10 positions; the channels of vector i are i and −i. */
    private static float[] sampled(long maxVectors, long maxNumbers, long seed) {
        try (LocalFeatureSample sample = new LocalFeatureSample(maxVectors, maxNumbers, new Seed(seed))) {
            for (int b = 0; b < BATCHES; b++) {
                Tensor values = torch.arange(scalar(50.0)).add(scalar(50.0 * b)).reshape(5, 1, 10);
                sample.add(torch.cat(new org.bytedeco.pytorch.TensorVector(values, values.neg()), 1));
            }
            Tensor vectors = sample.vectors();
            assertThat(vectors.sum(1).abs().max().item_double()).isZero(); // channels of one vector remain together
            return HostCopy.floats(vectors.select(1, 0));
        }
    }

    private static Set<Float> set(float[] values) {
        Set<Float> found = new HashSet<>();
        for (float number : values) {
            found.add(number);
        }
        return found;
    }

    @Test
    void fewer_vectors_than_the_bound_are_all_there() {
        assertThat(set(sampled(5000, 1 << 20, 1))).hasSize(BATCHES * 50);
    }

    @Test
    void more_vectors_than_the_bound_are_drawn_without_repetition_from_everywhere() {
        float[] found = sampled(200, 1 << 20, 1);
        assertThat(found).hasSize(200);
        assertThat(set(found)).hasSize(200);
        double mean = 0;
        for (float number : found) {
            mean += number / 200.0;
        }
        // 2,000 values have the deviation 577; the mean of 200 of them deviates by 39.
        assertThat(mean).isBetween(1000 - 160.0, 1000 + 160.0);
        assertThat(sampled(200, 100, 1)).hasSize(50); // long vectors: bounded by their values
    }

    @Test
    void only_the_seed_decides() {
        assertThat(set(sampled(100, 1 << 20, 1))).isEqualTo(set(sampled(100, 1 << 20, 1)));
        assertThat(set(sampled(100, 1 << 20, 2))).isNotEqualTo(set(sampled(100, 1 << 20, 1)));
        assertThat(set(sampled(200, 1 << 20, 1))).containsAll(set(sampled(100, 1 << 20, 1)));
    }

    @Test
    void no_vectors_give_no_sample() {
        try (LocalFeatureSample sample = LocalFeatureSample.bounded(new Seed(1))) {
            assertThatThrownBy(sample::vectors).isInstanceOf(FeatureException.class);
        }
    }
}
