package io.github.gramian.model;

import io.github.gramian.layer.Convolution1x1;
import io.github.gramian.layer.DescriptorCentring;
import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;

/**
 * The head of the network: feature maps [batch, inputChannels, N] → descriptor [batch, length] → class scores [batch,
 * classes].
 */
public final class Head implements Layer {

    private final HeadConfig config;
    private final Sequence descriptor;
    private final FullyConnected classifier;

    /** A head with random convolution and W, and a classifier of zeros. */
    public Head(HeadConfig config, Placement placement, Seed seed) {
        this.config = config;
        try (Scope scope = Scope.open()) {
            this.descriptor = new Sequence(descriptorLayers(config, placement, seed));
            this.classifier =
                    FullyConnected.zeros("classifier", config.descriptorLength(), config.classes(), placement);
        }
    }

    /** The layers in the order that data flows. */
    private static List<Layer> descriptorLayers(HeadConfig config, Placement placement, Seed seed) {
        List<Layer> layers = new ArrayList<>();
        if (config.convolution() > 0) {
            layers.add(Convolution1x1.random(
                    "convolution", config.inputChannels(), config.convolution(), placement, seed.child("convolution")));
            layers.add(new Relu());
        }
        layers.add(config.aggregation().build("kernel", placement));
        int size = config.channels();
        for (int i = 0; i < config.transforms().size(); i++) {
            TransformConfig transform = config.transforms().get(i);
            String name = "transform" + (i + 1);
            layers.add(SpdTransformation.random(
                    name, size, transform.outputDim(), transform.manifold(), placement, seed.child(name)));
            transform.activation().layer().ifPresent(layers::add);
            size = transform.outputDim();
        }
        DescriptorConfig descriptor = config.descriptor();
        if (descriptor.logarithmFloor() > 0) {
            layers.add(EigenLayer.logarithm(descriptor.logarithmFloor()));
        }
        layers.add(new Vectorisation(size, descriptor.fidelity(), placement));
        if (descriptor.powerEpsilon() >= 0) {
            layers.add(new PowerNormalisation(descriptor.powerEpsilon()));
        }
        layers.add(new L2Normalisation());
        if (descriptor.centringMomentum() > 0) {
            layers.add(new DescriptorCentring(
                    "centring", config.descriptorLength(), descriptor.centringMomentum(), placement));
        }
        return layers;
    }

    /** What it was made from. */
    public HeadConfig config() {
        return config;
    }

    /** Everything before the classifier. */
    public Layer descriptor() {
        return descriptor;
    }

    /** The last layer. */
    public FullyConnected classifier() {
        return classifier;
    }

    @Override
    public Pass forward(Tensor features, Phase phase) {
        Pass described = descriptor.forward(features, phase);
        return described.then(classifier.forward(described.output(), phase));
    }

    @Override
    public List<Parameter> parameters() {
        return Stream.of(descriptor, classifier)
                .flatMap(layer -> layer.parameters().stream())
                .toList();
    }

    @Override
    public void close() {
        descriptor.close();
        classifier.close();
    }
}
