package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EigenMapTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    static Stream<Arguments> mapsOnNastySpectra() {
        List<double[]> spectra = List.of(
                new double[] {1, 1, 1, 1},
                new double[] {2, 2, 2, 5},
                new double[] {1, 1 + 1e-12, 1 + 1e-9, 1 + 1e-6},
                new double[] {1e-3, 1e-3, 1, 1e3},
                new double[] {1e-8, 1e-8, 1e-8, 1e-2});
        List<EigenMap> maps = List.of(
                EigenMap.logarithm(1e-10),
                EigenMap.power(0.5, 1e-10),
                EigenMap.power(-0.5, 1e-10),
                EigenMap.rectifier(1e-10));
        return maps.stream().flatMap(map -> spectra.stream().map(spectrum -> Arguments.of(map, spectrum)));
    }

    private static Tensor withSpectrum(double[] spectrum, long seed) {
        Tensor normal = new Seed(seed).normal(DOUBLE, spectrum.length, spectrum.length);
        Tensor U = torch.linalg_qr(normal).get0().clone();
        return Symmetric.compose(Doubles.row(spectrum), U);
    }

    /**
     * Exact test of the derivative at repeated eigenvalues: with H commuting with A, F(A + tH) is known in closed form, and
     * with H arbitrary the derivative must be the limit of nearby matrices with distinct eigenvalues.
     */
    @ParameterizedTest
    @MethodSource("mapsOnNastySpectra")
    void the_gradient_is_the_limit_of_its_neighbours_at_repeated_eigenvalues(EigenMap map, double[] spectrum) {
        Tensor A = withSpectrum(spectrum, 3);
        Tensor G = Symmetric.part(new Seed(4).normal(DOUBLE, spectrum.length, spectrum.length));
        Tensor gradient = map.apply(A).backward(G);
        double[] spread = spectrum.clone();
        for (int i = 0; i < spread.length; i++) {
            spread[i] *= 1 + 3e-6 * i;
        }
        Tensor nearby = map.apply(withSpectrum(spread, 3)).backward(G);
        assertThat(gradient.isfinite().all().item_bool()).isTrue();
        assertThat(relative(gradient, nearby)).isLessThan(1e-4);
    }

    @ParameterizedTest
    @MethodSource("mapsOnNastySpectra")
    void the_derivative_in_the_direction_of_the_matrix_itself_is_known(EigenMap map, double[] spectrum) {
        Tensor A = withSpectrum(spectrum, 5);
        Tensor G = Symmetric.part(new Seed(6).normal(DOUBLE, spectrum.length, spectrum.length));
        // d/dt F((1+t)A) at 0 has the eigenvalues λ f′(λ).
        double[] slopes = new double[spectrum.length];
        for (int i = 0; i < slopes.length; i++) {
            Tensor lambda = Doubles.row(spectrum[i]);
            slopes[i] = spectrum[i] * map.function().derivative(lambda).item_double();
        }
        double expected = withSpectrum(slopes, 5).mul(G).sum().item_double();
        double actual = map.apply(A).backward(G).mul(A).sum().item_double();
        assertThat(actual).isCloseTo(expected, within(1e-6 * Math.max(1, Math.abs(expected))));
    }

    @Test
    void autograd_through_eigenvectors_is_not_finite_where_ours_is() {
        Tensor A = torch.eye(3, DOUBLE.options()).set_requires_grad(true);
        Tensor vectors = torch.linalg_eigh(A).get1();
        Tensor G = new Seed(7).normal(DOUBLE, 3, 3);
        vectors.mul(vectors.square()).mul(G).sum().backward();
        assertThat(A.grad().isfinite().all().item_bool()).isFalse();

        Tensor ours =
                EigenMap.logarithm(1e-6).apply(torch.eye(3, DOUBLE.options())).backward(G);
        // At the identity ln has the derivative 1 in every direction.
        assertThat(relative(ours, Symmetric.part(G))).isLessThan(1e-12);
    }

    @Test
    void logarithm_square_root_and_power_are_what_they_say() {
        Tensor A = withSpectrum(new double[] {0.5, 1, 2, 4}, 8);
        Tensor root = EigenMap.power(0.5, 1e-9).apply(A).output();
        assertThat(relative(root.matmul(root), A)).isLessThan(1e-12);
        Tensor log = EigenMap.logarithm(1e-9).apply(A).output();
        assertThat(relative(torch.matrix_exp(log), A)).isLessThan(1e-12);
        Tensor inverse = EigenMap.power(-1, 1e-9).apply(A).output();
        assertThat(relative(inverse.matmul(A), torch.eye(4, DOUBLE.options()))).isLessThan(1e-12);
    }

    @Test
    void eigenvalues_below_the_floor_are_raised_and_pass_no_gradient() {
        Tensor A = withSpectrum(new double[] {-1, -0.5, 0.5, 2}, 9);
        Pass pass = EigenMap.rectifier(0.1).apply(A);
        Tensor values = Symmetric.eigen(pass.output()).values();
        assertThat(values.get(0).item_double()).isCloseTo(0.1, within(1e-12));
        assertThat(values.get(3).item_double()).isCloseTo(2, within(1e-12));
        // Along the eigenvectors of negative eigenvalues nothing changes.
        Tensor negative = withSpectrum(new double[] {1, 1, 0, 0}, 9);
        assertThat(pass.backward(negative).mul(negative).sum().item_double()).isCloseTo(0, within(1e-12));
    }

    @Test
    void newton_schulz_finds_the_square_root_of_a_well_conditioned_matrix() {
        Tensor A = withSpectrum(new double[] {0.5, 1, 2, 4}, 10).unsqueeze(0);
        Tensor exact = EigenMap.power(0.5, 1e-9).apply(A).output();
        assertThat(relative(new NewtonSchulz(12).squareRoot(A).output(), exact)).isLessThan(1e-12);
        assertThat(relative(new NewtonSchulz(5).squareRoot(A).output(), exact)).isLessThan(1e-2);
        Pass zero = new NewtonSchulz(5).squareRoot(torch.zeros(new long[] {1, 3, 3}, DOUBLE.options()));
        assertThat(zero.output().isfinite().all().item_bool()).isTrue();
    }

    @Test
    void impossible_settings_are_refused() {
        assertThatThrownBy(() -> EigenMap.logarithm(0)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> EigenMap.power(0.5, 0)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> EigenMap.rectifier(-1)).hasMessageContaining("at least 0");
        assertThat(EigenMap.power(2, 0).floor()).isZero();
        assertThatThrownBy(() -> new NewtonSchulz(0)).hasMessageContaining("1..100");
    }

    private static double relative(Tensor actual, Tensor expected) {
        return actual.sub(expected).norm().item_double()
                / expected.norm().clamp_min(scalar(1e-30)).item_double();
    }
}
