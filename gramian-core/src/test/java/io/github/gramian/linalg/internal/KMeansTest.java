package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KMeansTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int GROUPS = 5;
    private static final int CHANNELS = 4;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static Tensor truth(Placement placement) {
        return new Seed(1).normal(placement, GROUPS, CHANNELS).mul(scalar(20.0));
    }

    /** 300 vectors about each of five points, which are far apart, and all of them far from the origin. */
    private static Tensor sample(Placement placement, long seed) {
        Tensor noise = new Seed(seed).normal(placement, 300, GROUPS, CHANNELS).mul(scalar(0.5));
        return noise.add(truth(placement)).add(scalar(100.0)).reshape(-1, CHANNELS);
    }

    private static double sum(Tensor sample, Tensor centres) {
        return torch.cdist(sample, centres)
                .square()
                .amin(new long[] {1}, false)
                .sum()
                .item_double();
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FLOAT", "DOUBLE"})
    void groups_that_are_far_apart_are_found(Precision precision) {
        Placement placement = Placement.cpu(precision);
        Tensor sample = sample(placement, 2);
        KMeans.Clusters found = KMeans.of(GROUPS).fit(sample, new Seed(3));
        Tensor distances = torch.cdist(truth(placement).add(scalar(100.0)), found.centres());
        assertThat(distances.amin(new long[] {1}, false).max().item_double()).isLessThan(0.15);
        assertThat(found.shares().sub(scalar(1.0 / GROUPS)).abs().max().item_double())
                .isLessThan(1e-6);
        assertThat(found.variances().sub(scalar(0.25)).abs().max().item_double())
                .isLessThan(0.08);
        assertThat(Placement.of(found.centres())).isEqualTo(placement);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void every_centre_is_the_mean_of_its_vectors_and_iterations_help(long seed) {
        Tensor sample = new Seed(seed).normal(DOUBLE, 500, 3);
        Tensor started = new KMeans(8, 0).fit(sample, new Seed(seed)).centres();
        KMeans.Clusters found = new KMeans(8, 200).fit(sample, new Seed(seed));
        assertThat(sum(sample, found.centres())).isLessThan(0.95 * sum(sample, started));
        Tensor shares = KMeans.nearest(KMeans.squaredDistances(sample.t(), found.centres()));
        Tensor means = shares.matmul(sample).div(shares.sum(1).unsqueeze(1));
        assertThat(means.sub(found.centres()).abs().max().item_double()).isLessThan(0.02);
    }

    @Test
    void distances_are_those_of_differences() {
        Tensor columns = new Seed(1).normal(DOUBLE, 2, 3, 7);
        Tensor centres = new Seed(2).normal(DOUBLE, 4, 3);
        Tensor expected = torch.cdist(centres.unsqueeze(0), columns.mT()).square();
        assertThat(KMeans.squaredDistances(columns, centres)
                        .sub(expected)
                        .abs()
                        .max()
                        .item_double())
                .isLessThan(1e-12);
    }

    /** More vectors than are looked at at once. */
    @Test
    void one_seed_gives_the_same_bits_and_another_seed_others() {
        Tensor sample = new Seed(4).normal(Placement.cpu(Precision.FLOAT), 40_000, 3);
        Tensor once = KMeans.of(6).fit(sample, new Seed(5)).centres();
        assertThat(KMeans.of(6).fit(sample, new Seed(5)).centres().equal(once)).isTrue();
        assertThat(KMeans.of(6).fit(sample, new Seed(6)).centres().equal(once)).isFalse();
    }

    /** Two values for four centres: the start takes one value twice, and a centre remains without vectors. */
    @Test
    void fewer_values_than_centres_give_finite_centres() {
        Tensor sample = torch.cat(
                new org.bytedeco.pytorch.TensorVector(
                        torch.zeros(new long[] {10, 2}, DOUBLE.options()),
                        torch.ones(new long[] {10, 2}, DOUBLE.options())),
                0);
        KMeans.Clusters found = KMeans.of(4).fit(sample, new Seed(1));
        assertThat(found.centres().isfinite().all().item_bool()).isTrue();
        assertThat(sum(sample, found.centres())).isLessThan(1e-20);
        assertThat(found.variances().max().item_double()).isLessThan(1e-12);
    }

    @Test
    void too_few_vectors_or_no_centres_are_refused() {
        Tensor sample = new Seed(1).normal(DOUBLE, 3, 2);
        assertThatThrownBy(() -> KMeans.of(4).fit(sample, new Seed(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4 centres")
                .hasMessageContaining("only 3");
        assertThatThrownBy(() -> KMeans.of(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
