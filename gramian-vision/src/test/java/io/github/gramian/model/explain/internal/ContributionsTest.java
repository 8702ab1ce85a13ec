package io.github.gramian.model.explain.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.aggregator.MaxPooling;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContributionsTest {

    private static final Path RECIPES = Path.of("../recipes");
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CHANNELS = 12;
    private static final int POSITIONS = 16;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static Stream<Path> recipes() throws IOException {
        try (Stream<Path> files = Files.list(RECIPES)) {
            return files.sorted().toList().stream();
        }
    }

    private static Stream<Path> drawn() throws IOException {
        return recipes().filter(file -> Explainer.obstacle(network(file), 2).isEmpty());
    }

    private static NetworkConfig network(Path recipe) {
        try {
            return RecipeFile.read(recipe).network();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The branch of a recipe with few channels. */
    private static Branch small(BranchConfig config, long seed) {
        BranchConfig few = new BranchConfig(
                config.tap(),
                config.size(),
                config.convolution() == 0 ? 0 : CHANNELS - 2,
                config.rectify(),
                config.aggregator(),
                config.descriptor());
        Branch branch = new Branch("", few, CHANNELS, DOUBLE, new Seed(seed));
        branch.centring()
                .ifPresent(centring ->
                        centring.start(direction(seed, few.length(CHANNELS)).flatten(), 0.5));
        return branch;
    }

    /** Features as a ReLU leaves them. */
    private static Tensor maps(String name, long seed) {
        return new Seed(seed).child(name).normal(DOUBLE, 1, CHANNELS, POSITIONS).clamp_min_(scalar(0));
    }

    /** Features of an image without content: nearly the same everywhere. */
    private static Tensor blank(long seed) {
        return maps("place", seed).mul_(scalar(0.1)).add_(maps("mean", seed).narrow(2, 0, 1));
    }

    private static Tensor direction(long seed, long length) {
        return new Seed(seed).child("classifier").normal(DOUBLE, 1, length);
    }

    private static double score(Layer branch, Tensor maps, Tensor direction) {
        return direction.mul(branch.apply(maps)).sum().item_double();
    }

    @Test
    void maps_are_drawn_for_all_recipes_but_two() throws IOException {
        TreeSet<String> refused = new TreeSet<>();
        recipes()
                .filter(file -> Explainer.obstacle(network(file), 2).isPresent())
                .forEach(file -> refused.add(file.getFileName().toString()));
        assertThat(refused).containsExactly("paper.yaml", "vlad.yaml");
    }

    @ParameterizedTest
    @MethodSource("drawn")
    void contributions_of_every_recipe_sum_to_the_gain_of_its_network(Path recipe) {
        for (BranchConfig config : network(recipe).branches()) {
            try (Branch branch = small(config, 1);
                    Branch rest = branch.fromAggregator(DOUBLE)) {
                Tensor M = maps("image", 1);
                Tensor b = direction(1, branch.config().length(CHANNELS));
                double gain = score(branch, M, b) - score(branch, blank(1), b);
                Tensor contributions =
                        Contributions.of(rest.layers(), branch.aggregated(M), branch.aggregated(blank(1)), b);
                assertThat(contributions.sum().item_double()).isCloseTo(gain, within(1e-4 * Math.abs(gain)));
                assertThat(contributions.abs().max().item_double()).isGreaterThan(0.01 * Math.abs(gain));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void contributions_of_a_linear_kernel_are_halves_of_gradient_times_input(long seed) {
        Tensor M = maps("image", seed);
        try (Layer branch = Sequence.of(
                KernelAggregation.of(new InnerProductKernel.Linear()),
                new Vectorisation(CHANNELS, Fidelity.EXACT, DOUBLE))) {
            Tensor b = direction(seed, CHANNELS * (CHANNELS + 1) / 2);
            Tensor contributions = Contributions.of(List.of(branch), M, torch.zeros_like(M), b);
            // Euler's theorem for the quadratic form, position by position.
            Tensor gradient = branch.forward(M, Phase.inference()).backward(b);
            Tensor halves = M.mul(gradient).sum(1).mul_(scalar(0.5));
            assertThat(contributions.sub(halves).abs().max().item_double()).isLessThan(1e-12);
            assertThat(contributions.sum().item_double()).isCloseTo(score(branch, M, b), within(1e-10));
        }
    }

    /** As many corners as a real network has: sums of gradients do not converge on them. */
    @Test
    void contributions_of_maxima_are_exact_for_many_channels_and_positions() {
        Tensor M = new Seed(1).normal(DOUBLE, 2, 512, 49);
        Tensor baseline = new Seed(2).normal(DOUBLE, 2, 512, 49);
        Tensor b = direction(1, 512);
        try (Layer maximum = new MaxPooling()) {
            Tensor gain = maximum.apply(M).sub_(maximum.apply(baseline)).mul_(b).sum(1);
            Tensor contributions = Contributions.of(List.of(maximum), M, baseline, b);
            assertThat(contributions.sum(1).sub_(gain).abs_().max().item_double())
                    .isLessThan(1e-10);
        }
    }

    @Test
    void several_views_are_explained_as_each_of_them_is() {
        try (Branch branch = small(
                        network(RECIPES.resolve("isqrt-cov.yaml")).branches().get(0), 2);
                Branch rest = branch.fromAggregator(DOUBLE)) {
            Tensor one = branch.aggregated(maps("image", 1));
            Tensor other = branch.aggregated(maps("image", 2));
            Tensor blank = branch.aggregated(blank(1));
            Tensor b = direction(1, branch.config().length(CHANNELS));
            Tensor both = Contributions.of(
                    rest.layers(), torch.cat(new TensorVector(one, other), 0), blank.expand(2, -1, -1), b);
            Tensor alone = Contributions.of(rest.layers(), other, blank, b);
            assertThat(both.narrow(0, 1, 1).sub(alone).abs().max().item_double())
                    .isLessThan(1e-4 * alone.abs().max().item_double());
        }
    }

    /** Multiples of centred maps have the same root after normalisation, so the score jumps where the path starts. */
    @Test
    void a_baseline_without_covariance_is_refused_for_a_kernel_that_centres() {
        try (Branch branch = small(
                        network(RECIPES.resolve("isqrt-cov.yaml")).branches().get(0), 1);
                Branch rest = branch.fromAggregator(DOUBLE)) {
            Tensor M = branch.aggregated(maps("image", 1));
            Tensor b = direction(1, branch.config().length(CHANNELS));
            assertThatThrownBy(() -> Contributions.of(rest.layers(), M, torch.zeros_like(M), b))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("do not add up");
        }
    }

    @Test
    void a_path_on_which_the_score_jumps_is_refused() {
        AggregatorConfig vlad = new CodebookConfig.Vlad(4, true);
        BranchConfig config = new BranchConfig(
                "last",
                32,
                0,
                false,
                vlad,
                network(RECIPES.resolve("average-pooling.yaml"))
                        .branches()
                        .get(0)
                        .descriptor());
        try (Branch branch = small(config, 1)) {
            Tensor M = maps("image", 1);
            Tensor b = direction(1, branch.apply(M).size(1));
            assertThatThrownBy(() -> Contributions.of(branch.layers(), M, blank(1), b))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("do not add up");
        }
    }
}
