package io.github.gramian.train;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.MapsInMemory;
import io.github.gramian.feature.internal.RandomMaps;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Phase;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.Trace;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.InitialisationConfig.ClassifierStart;
import io.github.gramian.recipe.InitialisationConfig.Start;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.Initialisation;
import java.util.Collections;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class InitialisationTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int IMAGES = 70; // more than two batches, the last one smaller
    private static final int CHANNELS = 6;
    private static final int OUTPUTS = 4;

    private final Scope scope = Scope.open();
    /** Correlated channels with a mean far from zero. */
    private final Tensor maps = torch.einsum(
                    "dc,bcn->bdn",
                    new org.bytedeco.pytorch.TensorVector(
                            new Seed(1).normal(DOUBLE, CHANNELS, CHANNELS),
                            new Seed(2).normal(DOUBLE, IMAGES, CHANNELS, 9)))
            .add_(scalar(3.0));

    @AfterEach
    void free() {
        scope.close();
    }

    private static Network network(boolean rectify) {
        return network(List.of(branch("a", OUTPUTS, rectify)));
    }

    private static BranchConfig branch(String tap, int outputs, boolean rectify) {
        return new BranchConfig(
                tap,
                32,
                outputs,
                rectify,
                new AggregatorConfig.SpdMatrix(
                        AggregationConfig.standard(Fidelity.EXACT), List.of(TransformConfig.to(2))),
                new DescriptorConfig(0, 1e-3, 0.1, Fidelity.EXACT));
    }

    private static Network network(List<BranchConfig> branches) {
        return new Network(
                new NetworkConfig(branches, 5), Collections.nCopies(branches.size(), CHANNELS), 3, DOUBLE, new Seed(3));
    }

    private void start(Network network, Start start) {
        initialisation(network, new MapsInMemory(1, maps), start).run();
    }

    private static Initialisation initialisation(Network network, BatchSource training, Start start) {
        return new Initialisation(
                network, training, new InitialisationConfig(start, start, ClassifierStart.ZEROS), new Seed(4));
    }

    private Trace trace(Network network) {
        return Branch.of(network).get(0).trace(maps);
    }

    /** [positions of all images, channels] without their mean. */
    private static Tensor centredRows(Tensor of) {
        Tensor rows = of.transpose(1, 2).reshape(-1, of.size(1));
        return rows.sub(rows.mean(0));
    }

    private static Tensor covariance(Tensor rows) {
        return rows.t().matmul(rows).div(scalar((double) rows.size(0)));
    }

    @Test
    void a_convolution_from_pca_gives_uncorrelated_channels_with_the_largest_variances() {
        try (Network network = network(false)) {
            start(network, Start.PCA);
            Tensor outputs = trace(network).compared();
            assertThat(outputs.mean(new long[] {0, 2}, false, new org.bytedeco.pytorch.ScalarTypeOptional())
                            .abs()
                            .max()
                            .item_double())
                    .isLessThan(1e-10);
            Tensor found = covariance(centredRows(outputs));
            Tensor all = torch.linalg_eigvalsh(covariance(centredRows(maps))).flip(0);
            assertThat(found.sub(torch.diag(all.narrow(0, 0, OUTPUTS)))
                            .abs()
                            .max()
                            .item_double())
                    .isLessThan(1e-9 * all.max().item_double());
        }
    }

    @Test
    void a_rotated_start_spans_the_same_directions() {
        try (Network plain = network(false);
                Network rotated = network(false)) {
            start(plain, Start.PCA);
            start(rotated, Start.ROTATED_PCA);
            Tensor A = plain.parameters().get(0).value();
            Tensor B = rotated.parameters().get(0).value();
            assertThat(A.sub(B).abs().max().item_double()).isGreaterThan(1e-3);
            assertThat(A.t().matmul(A).sub(B.t().matmul(B)).abs().max().item_double())
                    .isLessThan(1e-10);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void W_from_pca_is_orthonormal_and_no_other_W_keeps_more(long seed) {
        try (Network network = network(true)) {
            start(network, Start.PCA);
            Tensor W = Branch.of(network).get(0).parameters().stream()
                    .filter(parameter -> parameter.manifold() instanceof Stiefel)
                    .findFirst()
                    .orElseThrow()
                    .value();
            assertThat(Stiefel.paper().violation(W)).isLessThan(1e-12);
            Tensor K = trace(network).kernel().orElseThrow();
            Tensor other = Stiefel.paper().random(DOUBLE, new Seed(seed), OUTPUTS, 2);
            assertThat(retained(W, K)).isGreaterThan(retained(other, K));
            Tensor near = Stiefel.paper()
                    .retraction(W, Stiefel.paper().projection(W, other).mul(scalar(1e-3)));
            assertThat(retained(W, K)).isGreaterThanOrEqualTo(retained(near, K));
        }
    }

    /** The quantity that the start of W maximises. */
    private static double retained(Tensor W, Tensor K) {
        return W.t().matmul(K.mean(0)).matmul(W).trace().item_double();
    }

    @ParameterizedTest
    @EnumSource(Start.class)
    void descriptors_are_centred_by_their_exact_mean_whatever_the_batch(Start how) {
        try (Network network = network(true)) {
            start(network, how);
            Tensor together = network.describe(List.of(maps));
            assertThat(together.mean(0).abs().max().item_double()).isLessThan(1e-12);
            // Length one, but the gain is at most √20.
            double gain = network.parameters().stream()
                    .filter(parameter -> parameter.name().endsWith("centring.gain"))
                    .findFirst()
                    .orElseThrow()
                    .value()
                    .item_double();
            double variance = together.square().sum(1).mean().item_double() / (gain * gain);
            assertThat(gain).isCloseTo(Math.min(Math.sqrt(20), 1 / Math.sqrt(variance)), within(1e-9));
            Tensor alone = network.describe(List.of(maps.narrow(0, 5, 1)));
            assertThat(alone.sub(together.narrow(0, 5, 1)).abs().max().item_double())
                    .isLessThan(1e-12);
            Tensor training = network.forward(List.of(maps.narrow(0, 5, 1)), Phase.training(new Seed(1)))
                    .descriptor();
            assertThat(training.sub(alone).abs().max().item_double()).isLessThan(1e-12);
        }
    }

    @Test
    void a_closed_form_sees_no_difference_without_the_mean_of_a_single_branch() {
        try (Network whole = network(true);
                Network saved = network(true)) {
            start(whole, Start.PCA);
            initialisation(saved, new MapsInMemory(1, maps), Start.PCA).runForClosedForm();
            Tensor expected = unitSpread(whole.describe(List.of(maps)));
            Tensor raw = saved.describe(List.of(maps));
            assertThat(raw.mean(0).abs().max().item_double()).as("not centred").isGreaterThan(1e-3);
            assertThat(unitSpread(raw).sub(expected).abs().max().item_double()).isLessThan(1e-10);
        }
    }

    /** Relative to the mean and in units of the spread, as a classifier in closed form takes them. */
    private static Tensor unitSpread(Tensor descriptors) {
        Tensor centred = descriptors.sub(descriptors.mean(0));
        return centred.div(centred.norm());
    }

    @Test
    void branches_are_balanced_for_a_closed_form_as_for_a_training() {
        List<BranchConfig> two = List.of(branch("a", OUTPUTS, true), branch("b", 2, true));
        RandomMaps images = new RandomMaps(IMAGES, 3, List.of(CHANNELS, CHANNELS), 9, DOUBLE, new Seed(5));
        try (Network trained = network(two);
                Network fitted = network(two);
                BatchSource.Stream all = images.open(images.inOrder(), IMAGES, new Seed(6))) {
            initialisation(trained, images, Start.PCA).run();
            initialisation(fitted, images, Start.PCA).runForClosedForm();
            List<Tensor> shown = all.next().maps();
            assertThat(fitted.describe(shown).equal(trained.describe(shown))).isTrue();
        }
    }
}
