package io.github.gramian.model.internal;

import io.github.gramian.layer.Convolution1x1;
import io.github.gramian.layer.DescriptorCentring;
import io.github.gramian.layer.Dropout;
import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.aggregator.DataDependentInit;
import io.github.gramian.layer.internal.PerSampleLayer;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.internal.Trace.Part;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;

/** Feature maps [batch, inputChannels, N] → descriptor [batch, length]: the layers of a {@link BranchConfig} in order. */
public final class Branch implements Layer {

    /** A layer, what it does here and what it is called in messages. */
    private record Named(Part part, String name, Layer layer) {}

    private final BranchConfig config;
    private final int inputChannels;
    private final List<Named> layers;
    private final Sequence steps;

    /**
     * With random convolution and W.
     *
     * @param prefix what names of parameters start with; empty for a network of one branch
     */
    public Branch(String prefix, BranchConfig config, int inputChannels, Placement placement, Seed seed) {
        this.config = config;
        this.inputChannels = inputChannels;
        try (Scope scope = Scope.open()) {
            this.layers = new Builder(prefix, placement, seed).build(config, inputChannels);
        }
        this.steps = steps(layers.stream().map(Named::layer).toList(), config.channels(inputChannels));
    }

    /** The same layers, with consecutive per-sample layers grouped to run image by image. */
    private static Sequence steps(List<Layer> layers, int channels) {
        List<Layer> steps = new ArrayList<>();
        List<Layer> apart = new ArrayList<>();
        for (Layer layer : layers) {
            if (layer.isPerSample()) {
                apart.add(layer);
            } else {
                imageWise(apart, channels).ifPresent(steps::add);
                apart.clear();
                steps.add(layer);
            }
        }
        imageWise(apart, channels).ifPresent(steps::add);
        return new Sequence(steps);
    }

    private static Optional<Layer> imageWise(List<Layer> layers, int channels) {
        return layers.isEmpty() ? Optional.empty() : Optional.of(new PerSampleLayer(new Sequence(layers), channels));
    }

    /** Puts the layers together in the order that data flows. */
    private static final class Builder {
        private final String prefix;
        private final Placement placement;
        private final Seed seed;
        private final List<Named> layers = new ArrayList<>();

        Builder(String prefix, Placement placement, Seed seed) {
            this.prefix = prefix;
            this.placement = placement;
            this.seed = seed;
        }

        List<Named> build(BranchConfig config, int inputChannels) {
            int length = config.length(inputChannels); // refuses sizes that do not fit before anything is allocated
            if (config.convolution() > 0) {
                add(
                        Part.CONVOLUTION,
                        "convolution",
                        Convolution1x1.random(
                                prefix + "convolution",
                                inputChannels,
                                config.convolution(),
                                placement,
                                seed.child("convolution")));
                if (config.rectify()) {
                    add(Part.RECTIFICATION, "convolution ReLU", new Relu());
                }
            }
            aggregate(config, config.channels(inputChannels));
            normalise(config.descriptor(), length);
            return List.copyOf(layers);
        }

        private void aggregate(BranchConfig config, int channels) {
            if (config.aggregator() instanceof AggregatorConfig.SpdMatrix matrix) {
                spdMatrix(matrix, config.descriptor(), channels);
            } else if (config.aggregator() instanceof AggregatorConfig.Single single) {
                add(Part.AGGREGATION, single.layerName(), single.build(prefix, channels, placement, seed));
            }
        }

        private void spdMatrix(AggregatorConfig.SpdMatrix config, DescriptorConfig descriptor, int channels) {
            add(Part.KERNEL, "kernel", config.aggregation().build(prefix + "kernel", config.products(), placement));
            int size = channels;
            for (int i = 0; i < config.transforms().size(); i++) {
                TransformConfig transform = config.transforms().get(i);
                String name = "transform" + (i + 1);
                add(
                        Part.TRANSFORM,
                        name,
                        SpdTransformation.random(
                                        prefix + name,
                                        size,
                                        transform.outputDim(),
                                        transform.manifold(),
                                        placement,
                                        seed.child(name))
                                .with(config.products()));
                transform.activation().layer().ifPresent(layer -> add(Part.ACTIVATION, name + " activation", layer));
                size = transform.outputDim();
            }
            config.root().layer().ifPresent(layer -> add(Part.AGGREGATION, "root", layer));
            if (descriptor.logarithmFloor() > 0) {
                add(Part.AGGREGATION, "logarithm", EigenLayer.logarithm(descriptor.logarithmFloor()));
            }
            add(Part.AGGREGATION, "vectorisation", new Vectorisation(size, descriptor.fidelity(), placement));
        }

        private void normalise(DescriptorConfig descriptor, int length) {
            if (descriptor.powerEpsilon() >= 0) {
                add(Part.NORMALISATION, "power normalisation", new PowerNormalisation(descriptor.powerEpsilon()));
            }
            add(Part.NORMALISATION, "l2 normalisation", new L2Normalisation());
            if (descriptor.centringMomentum() > 0) {
                add(
                        Part.NORMALISATION,
                        "centring",
                        new DescriptorCentring(prefix + "centring", length, descriptor.centringMomentum(), placement));
            }
            if (descriptor.dropout() > 0) {
                add(Part.NORMALISATION, "dropout", new Dropout(prefix + "dropout", descriptor.dropout()));
            }
        }

        private void add(Part part, String name, Layer layer) {
            layers.add(new Named(part, name, layer));
        }
    }

    public static List<Branch> of(Network network) {
        return network.branches().stream().map(Branch.class::cast).toList();
    }

    public BranchConfig config() {
        return config;
    }

    @Override
    public Pass forward(Tensor maps, Phase phase) {
        return steps.forward(maps, phase);
    }

    /** The output of every layer for some feature maps, in inference. */
    public Trace trace(Tensor maps) {
        List<Trace.Output> outputs = new ArrayList<>();
        Tensor current = maps;
        for (Named next : layers) {
            current = next.layer().apply(current);
            outputs.add(new Trace.Output(next.part(), next.name(), current));
        }
        return new Trace(maps, outputs);
    }

    /** The input of one of its layers for some feature maps, in inference. */
    public Tensor inputOf(Layer layer, Tensor maps) {
        Tensor current = maps;
        for (Named next : layers) {
            if (next.layer() == layer) {
                return current;
            }
            current = next.layer().apply(current);
        }
        throw new IllegalArgumentException("the layer does not belong to this branch; use a layer of the branch");
    }

    /** What the aggregator takes: the maps after the 1×1 convolution and its ReLU. */
    public Tensor aggregated(Tensor maps) {
        Tensor current = maps;
        for (Named next : layers) {
            if (next.part() == Part.CONVOLUTION || next.part() == Part.RECTIFICATION) {
                current = next.layer().apply(current);
            }
        }
        return current;
    }

    /** A copy of all layers from the aggregator on, in another placement. */
    public Branch fromAggregator(Placement placement) {
        BranchConfig rest =
                new BranchConfig(config.tap(), config.size(), 0, false, config.aggregator(), config.descriptor());
        Branch copy = new Branch("", rest, config.channels(inputChannels), placement, new Seed(0));
        List<Parameter> copies = copy.parameters();
        List<Parameter> own = parameters();
        int before = own.size() - copies.size(); // the convolution's
        for (int i = 0; i < copies.size(); i++) {
            copies.get(i).assign(own.get(before + i).value());
        }
        return copy;
    }

    /** The layers in order. */
    public List<Layer> layers() {
        return layers.stream().map(Named::layer).toList();
    }

    /** The 1×1 convolution before the aggregator, if there is one. */
    public Optional<Convolution1x1> convolution() {
        return all(Convolution1x1.class).findFirst();
    }

    public Optional<KernelAggregation> kernel() {
        return all(KernelAggregation.class).findFirst();
    }

    /** The transformations Y = WᵀKW, one after the other. */
    public List<SpdTransformation> transforms() {
        return all(SpdTransformation.class).toList();
    }

    /** The aggregator, where it is fitted to features before training. */
    public Optional<DataDependentInit> fitted() {
        return all(DataDependentInit.class).findFirst();
    }

    public Optional<DescriptorCentring> centring() {
        return all(DescriptorCentring.class).findFirst();
    }

    private <L extends Layer> Stream<L> all(Class<L> kind) {
        return layers.stream().map(Named::layer).filter(kind::isInstance).map(kind::cast);
    }

    @Override
    public List<Parameter> parameters() {
        return layers.stream()
                .flatMap(named -> named.layer().parameters().stream())
                .toList();
    }

    @Override
    public void close() {
        layers.forEach(named -> named.layer().close());
    }
}
