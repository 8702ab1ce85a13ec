package io.github.gramian.train.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.LocalFeatureSample;
import io.github.gramian.layer.Convolution1x1;
import io.github.gramian.layer.DescriptorCentring;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.linalg.internal.LeadingEigenvectors;
import io.github.gramian.linalg.internal.PrincipalComponents;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.InitialisationConfig.Start;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Initialises a network from its training features: principal components, codebooks, running means. Labels are not used. */
public final class Initialisation {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int BATCH = 32;

    private final Network network;
    private final BatchSource training;
    private final InitialisationConfig config;
    private final Seed seed;

    public Initialisation(Network network, BatchSource training, InitialisationConfig config, Seed seed) {
        this.network = network;
        this.training = training;
        this.config = config;
        this.seed = seed;
    }

    /** Convolutions, then codebooks or W, then the statistics of their output: each depends on the one before. */
    public void run() {
        run(true);
    }

    /**
     * The same for a classifier in closed form, which takes descriptors relative to their mean and its penalty relative to
     * their spread: after a single branch there is nothing to centre and nothing to balance, so a pass over all images is
     * saved.
     */
    public void runForClosedForm() {
        run(network.branches().size() > 1);
    }

    private void run(boolean centred) {
        if (config.convolution() != Start.RANDOM) {
            startConvolutions();
        }
        fitToFeatures();
        if (config.transform() != Start.RANDOM) {
            startTransforms();
        }
        startStatistics(centred);
    }

    private void startConvolutions() {
        for (int b = 0; b < network.branches().size(); b++) {
            Branch branch = Branch.of(network).get(b);
            int place = b;
            branch.convolution().ifPresent(convolution -> {
                try (Scope scope = Scope.open()) {
                    startConvolution(convolution, place, seed.child("rotation").child(place));
                }
            });
        }
    }

    /** y = Vᵀ(x − μ), so A = Vᵀ and b = −Vᵀμ; more outputs than directions are left at zero. */
    private void startConvolution(Convolution1x1 convolution, int branch, Seed rotation) {
        Tensor weight = convolution.weight().value();
        long directions = Math.min(weight.size(0), weight.size(1));
        PrincipalComponents.Basis basis = training.components(branch)
                .map(cached -> cached.leading(weight.size(1), directions, () -> components(branch, directions)))
                .orElseGet(() -> components(branch, directions));
        Tensor V = basis.components();
        if (config.convolution() == Start.ROTATED_PCA) {
            V = V.matmul(Stiefel.paper().random(DOUBLE, rotation, directions, directions));
        }
        Tensor bias = V.t().mv(basis.mean()).neg();
        weight.zero_().narrow(0, 0, directions).copy_(V.t());
        convolution.bias().value().zero_().narrow(0, 0, directions).copy_(bias);
    }

    private PrincipalComponents.Basis components(int branch, long directions) {
        try (PrincipalComponents components =
                new PrincipalComponents(network.inputChannels().get(branch))) {
            each(maps -> components.add(maps.get(branch)));
            return components.leading(directions);
        }
    }

    /** Codebooks and the like, from vectors of the training images as they reach the layer. */
    private void fitToFeatures() {
        for (int b = 0; b < network.branches().size(); b++) {
            Branch branch = Branch.of(network).get(b);
            int place = b;
            branch.fitted().ifPresent(layer -> {
                Seed own = seed.child("codebook").child(place);
                try (Scope scope = Scope.open();
                        LocalFeatureSample sample = LocalFeatureSample.bounded(own.child("sample"))) {
                    each(maps -> sample.add(branch.inputOf(layer, maps.get(place))));
                    layer.fit(sample.vectors(), own.child("fit"));
                }
            });
        }
    }

    private void startTransforms() {
        for (int b = 0; b < network.branches().size(); b++) {
            Branch branch = Branch.of(network).get(b);
            int place = b;
            branch.transforms().stream().findFirst().ifPresent(transform -> {
                Parameter W = transform.weight();
                long n = W.value().size(0);
                long m = W.value().size(1);
                try (Scope scope = Scope.open();
                        LeadingEigenvectors moment = new LeadingEigenvectors(n)) {
                    each(maps -> moment.add(branch.inputOf(transform, maps.get(place))));
                    Tensor start = moment.leading(m).vectors();
                    if (config.transform() == Start.ROTATED_PCA) {
                        start = start.matmul(Stiefel.paper()
                                .random(DOUBLE, seed.child("transform").child(place), m, m));
                    }
                    W.assign(start);
                }
            });
        }
    }

    /** Running means start from the exact means over the training images, so that nothing depends on a first batch. */
    private void startStatistics(boolean centred) {
        for (int b = 0; b < network.branches().size(); b++) {
            Branch branch = Branch.of(network).get(b);
            int place = b;
            if (keepsStatisticsOfItsOwn(branch)) {
                each(maps -> branch.forward(maps.get(place), Phase.training(seed)));
            }
            branch.centring().ifPresent(centring -> {
                try (Scope scope = Scope.open()) {
                    // A mean of zero that counts as seen: before one is seen, a batch would lose its own.
                    centring.start(torch.zeros_like(centring.mean().value()), 1);
                    if (centred) {
                        startCentring(branch, place, centring);
                    }
                }
            });
        }
    }

    /** Whether there are statistics that need a pass over the images besides the centring, which is counted below. */
    private static boolean keepsStatisticsOfItsOwn(Branch branch) {
        List<Parameter> elsewhere = Stream.of(branch.fitted(), branch.centring())
                .<Layer>flatMap(Optional::stream)
                .flatMap(layer -> layer.parameters().stream())
                .toList();
        return branch.parameters().stream()
                .anyMatch(parameter -> !parameter.trainable() && !elsewhere.contains(parameter));
    }

    private void startCentring(Branch branch, int place, DescriptorCentring centring) {
        Tensor sum = torch.zeros(centring.mean().value().sizes(), DOUBLE.options());
        Tensor squares = torch.zeros(new long[] {1}, DOUBLE.options());
        each(maps -> {
            Tensor descriptors = DOUBLE.place(branch.apply(maps.get(place)));
            sum.add_(descriptors.sum(0));
            squares.add_(descriptors.square().sum());
        });
        double rows = (double) training.count() * training.views();
        sum.div_(scalar(rows));
        // E‖v − m‖² = E‖v‖² − ‖m‖²: in double, nothing is lost.
        double variance = squares.item_double() / rows - sum.square().sum().item_double();
        centring.start(sum, variance);
    }

    /** Shows the feature maps of all training images, [batch, channels, N] for each branch, a batch in its own scope. */
    private void each(Consumer<List<Tensor>> use) {
        try (BatchSource.Stream batches = training.open(training.inOrder(), BATCH, seed.child("initialisation"))) {
            while (batches.hasNext()) {
                try (Scope scope = Scope.open()) {
                    use.accept(batches.next().maps());
                }
            }
        }
    }
}
