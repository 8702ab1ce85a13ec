package io.github.gramian.layer;

import io.github.gramian.tensor.Pass;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** Layers one after another: the output of each is the input of the next. */
public record Sequence(List<Layer> layers) implements Layer {

    public Sequence {
        if (layers.isEmpty()) {
            throw new IllegalArgumentException("a sequence needs at least one layer");
        }
        layers = List.copyOf(layers);
    }

    /** A sequence of the given layers. */
    public static Sequence of(Layer... layers) {
        return new Sequence(List.of(layers));
    }

    @Override
    public Pass forward(Tensor input, Phase phase) {
        Pass way = layers.get(0).forward(input, phase);
        for (Layer next : layers.subList(1, layers.size())) {
            way = way.then(next.forward(way.output(), phase));
        }
        return way;
    }

    @Override
    public boolean isPerSample() {
        return layers.stream().allMatch(Layer::isPerSample);
    }

    @Override
    public List<Parameter> parameters() {
        return layers.stream().flatMap(layer -> layer.parameters().stream()).toList();
    }

    @Override
    public void close() {
        layers.forEach(Layer::close);
    }
}
