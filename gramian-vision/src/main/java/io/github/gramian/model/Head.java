package io.github.gramian.model;

import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;

/**
 * The head of the network: feature maps [batch, inputChannels, N] → descriptor [batch, length] → class scores [batch,
 * classes].
 */
public final class Head implements Layer {

    private final HeadConfig config;
    private final Branch descriptor;
    private final FullyConnected classifier;

    /** A head with random convolution and W, and a classifier of zeros. */
    public Head(HeadConfig config, Placement placement, Seed seed) {
        this.config = config;
        try (Scope scope = Scope.open()) {
            this.descriptor = new Branch("", config.branch(), config.inputChannels(), placement, seed);
            this.classifier =
                    FullyConnected.zeros("classifier", config.descriptorLength(), config.classes(), placement);
        }
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
