package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GaussianMixtureTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static Tensor row(double... values) {
        return Doubles.row(values);
    }

    /** 3,000 and 1,000 vectors of two normal distributions that overlap a little, dimensions of very different scale. */
    private static Tensor sample(long seed) {
        Tensor first = new Seed(seed).normal(DOUBLE, 3000, 2).mul(row(1, 100)).add(row(0, 500));
        Tensor second =
                new Seed(seed + 1).normal(DOUBLE, 1000, 2).mul(row(0.5, 300)).add(row(4, 900));
        return torch.cat(new TensorVector(first, second), 0);
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FLOAT", "DOUBLE"})
    void two_distributions_are_separated(Precision precision) {
        GaussianMixture found = GaussianMixture.fit(Placement.cpu(precision).place(sample(1)), 2, new Seed(2));
        long large = found.weights().argmax().item_long();
        Tensor deviations = DOUBLE.place(found.variances()).sqrt();
        Tensor means = DOUBLE.place(found.means());
        assertThat(found.weights().max().item_double()).isBetween(0.73, 0.77);
        assertThat(found.weights().sum().item_double()).isBetween(1 - 1e-6, 1 + 1e-6);
        assertThat(largest(deviations.select(0, large).div(row(1, 100)).sub(scalar(1.0))))
                .isLessThan(0.06);
        assertThat(largest(deviations.select(0, 1 - large).div(row(0.5, 300)).sub(scalar(1.0))))
                .isLessThan(0.08);
        assertThat(largest(means.select(0, large).sub(row(0, 500)).div(row(1, 100))))
                .isLessThan(0.08);
        assertThat(largest(means.select(0, 1 - large).sub(row(4, 900)).div(row(0.5, 300))))
                .isLessThan(0.12);
    }

    private static double largest(Tensor tensor) {
        return tensor.abs().max().item_double();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void densities_are_those_of_the_formula(long seed) {
        GaussianMixture mixture = new GaussianMixture(
                new Seed(seed).uniform(DOUBLE, 3).softmax(0),
                new Seed(seed + 1).normal(DOUBLE, 3, 4),
                new Seed(seed + 2).uniform(DOUBLE, 3, 4).add(scalar(0.1)));
        Tensor x = new Seed(seed + 3).normal(DOUBLE, 2, 4, 5);
        Tensor standard = x.unsqueeze(1)
                .sub(mixture.means().unsqueeze(2))
                .square()
                .div(mixture.variances().unsqueeze(2));
        Tensor expected = standard.sum(2)
                .add(mixture.variances().log().sum(1).unsqueeze(1))
                .mul(scalar(-0.5))
                .add(mixture.weights().log().unsqueeze(1));
        assertThat(largest(mixture.densities().logarithms(x, x.square()).sub(expected)))
                .isLessThan(1e-11);
    }

    /** A mixture of one is the mean and the variance of the sample. */
    @Test
    void one_component_is_the_sample_itself() {
        Tensor sample = sample(5);
        GaussianMixture found = GaussianMixture.fit(sample, 1, new Seed(1));
        assertThat(largest(found.means().sub(sample.mean(0)).div(sample.mean(0))))
                .isLessThan(1e-10);
        Tensor variance = sample.sub(sample.mean(0)).square().mean(0);
        assertThat(largest(found.variances().sub(variance).div(variance))).isLessThan(1e-10);
    }

    @Test
    void constant_dimensions_and_repeated_vectors_give_finite_values_with_positive_variances() {
        Tensor sample = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 200, 3);
        sample.narrow(1, 0, 1).fill_(scalar(7.0));
        sample.narrow(0, 0, 150).copy_(sample.narrow(0, 0, 1).expand(150, 3).clone());
        for (Tensor data : new Tensor[] {sample, torch.zeros_like(sample)}) {
            GaussianMixture found = GaussianMixture.fit(data, 4, new Seed(2));
            assertThat(found.means().isfinite().all().item_bool()).isTrue();
            assertThat(found.variances().isfinite().all().item_bool()).isTrue();
            assertThat(found.variances().min().item_double()).isPositive();
            assertThat(found.weights().min().item_double()).isPositive();
        }
    }

    @Test
    void one_seed_gives_the_same_bits() {
        Tensor sample = new Seed(4).normal(Placement.cpu(Precision.FLOAT), 40_000, 3);
        GaussianMixture once = GaussianMixture.fit(sample, 6, new Seed(5));
        GaussianMixture twice = GaussianMixture.fit(sample, 6, new Seed(5));
        assertThat(twice.means().equal(once.means())).isTrue();
        assertThat(twice.variances().equal(once.variances())).isTrue();
        assertThat(twice.weights().equal(once.weights())).isTrue();
    }
}
