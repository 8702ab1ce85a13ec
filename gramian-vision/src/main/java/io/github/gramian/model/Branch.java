package io.github.gramian.model;

import io.github.gramian.layer.Convolution1x1;
import io.github.gramian.layer.DescriptorCentring;
import io.github.gramian.layer.Dropout;
import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.PerSampleLayer;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/** Feature maps [batch, inputChannels, N] → descriptor [batch, length]: the layers of a {@link BranchConfig} in order. */
public final class Branch implements Layer {

    /** A layer and what it is called in traces and messages. */
    private record Named(String name, Layer layer) {}

    private final BranchConfig config;
    private final List<Named> layers;
    private final Sequence steps;

    /**
     * With random convolution and W.
     *
     * @param prefix what names of parameters start with; empty for a network of one branch
     */
    public Branch(String prefix, BranchConfig config, int inputChannels, Placement placement, Seed seed) {
        this.config = config;
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
                        "convolution",
                        Convolution1x1.random(
                                prefix + "convolution",
                                inputChannels,
                                config.convolution(),
                                placement,
                                seed.child("convolution")));
                if (config.rectify()) {
                    add("convolution ReLU", new Relu());
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
                add(single.layerName(), single.build(prefix, channels, placement, seed));
            }
        }

        private void spdMatrix(AggregatorConfig.SpdMatrix config, DescriptorConfig descriptor, int channels) {
            add("kernel", config.aggregation().build(prefix + "kernel", config.products(), placement));
            int size = channels;
            for (int i = 0; i < config.transforms().size(); i++) {
                TransformConfig transform = config.transforms().get(i);
                String name = "transform" + (i + 1);
                add(
                        name,
                        SpdTransformation.random(
                                        prefix + name,
                                        size,
                                        transform.outputDim(),
                                        transform.manifold(),
                                        placement,
                                        seed.child(name))
                                .with(config.products()));
                transform.activation().layer().ifPresent(layer -> add(name + " activation", layer));
                size = transform.outputDim();
            }
            config.root().layer().ifPresent(layer -> add("root", layer));
            if (descriptor.logarithmFloor() > 0) {
                add("logarithm", EigenLayer.logarithm(descriptor.logarithmFloor()));
            }
            add("vectorisation", new Vectorisation(size, descriptor.fidelity(), placement));
        }

        private void normalise(DescriptorConfig descriptor, int length) {
            if (descriptor.powerEpsilon() >= 0) {
                add("power normalisation", new PowerNormalisation(descriptor.powerEpsilon()));
            }
            add("l2 normalisation", new L2Normalisation());
            if (descriptor.centringMomentum() > 0) {
                add(
                        "centring",
                        new DescriptorCentring(prefix + "centring", length, descriptor.centringMomentum(), placement));
            }
            if (descriptor.dropout() > 0) {
                add("dropout", new Dropout(prefix + "dropout", descriptor.dropout()));
            }
        }

        private void add(String name, Layer layer) {
            layers.add(new Named(name, layer));
        }
    }

    /** What it was made from. */
    public BranchConfig config() {
        return config;
    }

    @Override
    public Pass forward(Tensor maps, Phase phase) {
        return steps.forward(maps, phase);
    }

    /** The output of every layer for some feature maps, in inference and in order: for health checks and reports. */
    public Map<String, Tensor> trace(Tensor maps) {
        Map<String, Tensor> outputs = new LinkedHashMap<>();
        Tensor current = maps;
        for (Named next : layers) {
            current = next.layer().apply(current);
            outputs.put(next.name(), current);
        }
        return outputs;
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
        throw new IllegalArgumentException("the layer is not one of this branch; ask find() for one that is");
    }

    /** The layer of this kind, if there is one; the first of several. */
    public <L extends Layer> Optional<L> find(Class<L> kind) {
        return layers.stream()
                .map(Named::layer)
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst();
    }

    /** The kernel, where the aggregator has one. */
    public Optional<KernelAggregation> kernel() {
        return find(KernelAggregation.class);
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
