package io.github.gramian.bench.measure;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.image.Normalisation;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** Features of the form that ResNet-50 has, drawn at random: fills a cache quickly. */
final class RandomFeatures implements Backbone {

    /** The only layer. */
    static final Tap TAP = new Tap("res5c", List.of(), 2048, 32);

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private long drawn;

    @Override
    public String name() {
        return "drawn";
    }

    @Override
    public Normalisation normalisation() {
        return Normalisation.TORCHVISION;
    }

    @Override
    public Placement placement() {
        return FLOAT;
    }

    @Override
    public String weightsHash() {
        return "none";
    }

    @Override
    public List<Tap> taps() {
        return List.of(TAP);
    }

    /** Other values at every call. */
    @Override
    public Map<String, Tensor> features(Tensor images, List<String> taps) {
        long side = images.size(2) / TAP.stride();
        Tensor normal = new Seed(drawn++).normal(FLOAT, images.size(0), TAP.channels(), side, side);
        return Map.of(TAP.name(), normal.relu_());
    }

    @Override
    public Map<String, Tensor> parameters() {
        return Map.of();
    }

    @Override
    public void close() {}
}
