package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Everything after the backbone: branches side by side, their descriptors concatenated, one classifier.
 *
 * <p>Inference keeps no state: one network serves many threads.
 */
public final class Network implements AutoCloseable {

    private final NetworkConfig config;
    private final List<Integer> inputChannels;
    private final Placement placement;
    private final List<Branch> branches;
    private final FullyConnected classifier;
    private final List<List<Parameter>> parts;

    /**
     * A network with random convolutions and W, and a classifier of zeros.
     *
     * @param inputChannels of the features that each branch takes
     */
    public Network(NetworkConfig config, List<Integer> inputChannels, int classes, Placement placement, Seed seed) {
        this.config = config;
        this.inputChannels = List.copyOf(inputChannels);
        this.placement = placement;
        int length = config.descriptorLength(inputChannels);
        this.branches = IntStream.range(0, config.branches().size())
                .mapToObj(i -> new Branch(
                        "branch" + (i + 1) + ".",
                        config.branches().get(i),
                        inputChannels.get(i),
                        placement,
                        seed.child("branch").child(i)))
                .toList();
        try (Scope scope = Scope.open()) {
            this.classifier = FullyConnected.zeros("classifier", length, classes, placement);
        }
        this.parts = Stream.concat(
                        Stream.of(classifier.parameters()), branches.stream().map(Branch::parameters))
                .toList();
    }

    /**
     * A result with its backward pass.
     *
     * @param descriptor [batch, length]
     * @param scores [batch, classes]; the loss is taken of these
     * @param passes of the branches
     * @param classified the classifier's pass
     * @param parts of the network's parameters
     */
    public record Result(
            Tensor descriptor, Tensor scores, List<Pass> passes, Pass classified, List<List<Parameter>> parts) {

        /** Gradients of each branch's feature maps for that of the scores; parameters receive theirs. */
        public List<Tensor> backward(Tensor scoreGradient) {
            return backward(scoreGradient, done -> {});
        }

        /**
         * The same, with a callback.
         *
         * @param ready is called with parameters whose gradients are complete, in the order of {@link Network#parts}
         */
        public List<Tensor> backward(Tensor scoreGradient, Consumer<List<Parameter>> ready) {
            Tensor joined = classified.backward(scoreGradient);
            ready.accept(parts.get(0));
            List<Tensor> gradients = new ArrayList<>();
            long start = 0;
            for (int i = 0; i < passes.size(); i++) {
                Pass pass = passes.get(i);
                long length = pass.output().size(1);
                gradients.add(pass.backward(joined.narrow(1, start, length)));
                ready.accept(parts.get(i + 1));
                start += length;
            }
            return gradients;
        }
    }

    /** Feature maps of each branch, [batch, channels, N], to scores. */
    public Result forward(List<Tensor> maps, Phase phase) {
        checkInputs(maps);
        List<Pass> passes = IntStream.range(0, branches.size())
                .mapToObj(i -> branches.get(i).forward(maps.get(i), phase))
                .toList();
        Tensor descriptor = joined(passes.stream().map(Pass::output).toList());
        Pass classified = classifier.forward(descriptor, phase);
        return new Result(descriptor, classified.output(), passes, classified, parts);
    }

    /** The descriptors: [batch, length]. */
    public Tensor describe(List<Tensor> maps) {
        checkInputs(maps);
        return joined(IntStream.range(0, branches.size())
                .mapToObj(i -> branches.get(i).apply(maps.get(i)))
                .toList());
    }

    /** The scores of descriptors: [batch, classes]. */
    public Tensor classify(Tensor descriptors) {
        return classifier.apply(descriptors);
    }

    /** The class probabilities of descriptors: [batch, classes]. */
    public Tensor probabilities(Tensor descriptors) {
        return classify(descriptors).mul_(scalar(config.logitScale())).softmax(1);
    }

    private static Tensor joined(List<Tensor> descriptors) {
        return descriptors.size() == 1
                ? descriptors.get(0)
                : torch.cat(new TensorVector(descriptors.toArray(Tensor[]::new)), 1);
    }

    private void checkInputs(List<Tensor> maps) {
        if (maps.size() != branches.size()) {
            throw new IllegalArgumentException(
                    "the network has " + branches.size() + " branches but got " + maps.size() + " inputs");
        }
    }

    /** The configuration of the network. */
    public NetworkConfig config() {
        return config;
    }

    /** Channels of the features that each branch takes. */
    public List<Integer> inputChannels() {
        return inputChannels;
    }

    /** Outputs of the classifier. */
    public int classes() {
        return Math.toIntExact(classifier.weight().value().size(0));
    }

    /** Dimensions of a descriptor. */
    public int descriptorLength() {
        return config.descriptorLength(inputChannels);
    }

    /** Where it computes, and how precisely. */
    public Placement placement() {
        return placement;
    }

    /** The branches in order. */
    public List<Layer> branches() {
        return List.copyOf(branches);
    }

    /** The last layer. */
    public FullyConnected classifier() {
        return classifier;
    }

    /** All parameters and statistics, in a fixed order. */
    public List<Parameter> parameters() {
        return Stream.concat(
                        branches.stream().flatMap(branch -> branch.parameters().stream()),
                        classifier.parameters().stream())
                .toList();
    }

    /** The parameter or statistic of this name, as {@code docs/model-format.md} lists them. */
    public Parameter parameter(String name) {
        return parameters().stream()
                .filter(parameter -> parameter.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the network has no parameter '" + name + "'; it has "
                        + parameters().stream().map(Parameter::name).toList()));
    }

    /** The same by parts, in the order in which the backward pass reaches them: the classifier, then branch after branch. */
    public List<List<Parameter>> parts() {
        return parts;
    }

    @Override
    public void close() {
        branches.forEach(Branch::close);
        classifier.close();
    }
}
