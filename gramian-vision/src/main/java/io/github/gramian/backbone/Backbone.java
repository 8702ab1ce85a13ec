package io.github.gramian.backbone;

import io.github.gramian.backbone.engine.internal.Shapes;
import io.github.gramian.image.Normalisation;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/**
 * A network, usually trained on ImageNet, that turns images into feature maps. It owns its weights until it is closed.
 * {@link #features} may be called by several threads at once; only one thread may close or train it.
 */
public interface Backbone extends AutoCloseable {

    /** A short name for people and for cache keys, such as {@code resnet50-keras}. */
    String name();

    /** The normalisation its images need. */
    Normalisation normalisation();

    /** Where it computes, and how precisely. */
    Placement placement();

    /** SHA-256 of the weights, or a string that identifies them as exactly. It is part of every cache key and score. */
    String weightsHash();

    /** The places where features can be taken, in the order of the forward pass. */
    List<Tap> taps();

    /**
     * Runs the network up to the last tap that is asked for.
     *
     * @param images [batch, 3, height, width], normalised; any layout and floating-point precision
     * @param taps names or aliases
     * @return the features by the names that were asked: [batch, channels, height/stride, width/stride] in channels-last
     *     layout, or [batch, channels]; in the precision of the placement, owned by the caller's scope
     */
    Map<String, Tensor> features(Tensor images, List<String> taps);

    /**
     * The shapes of the features of one square image.
     *
     * @param size side of the image, in pixels
     * @param taps names or aliases
     * @return by the names that were asked: [channels, height, width] or [channels]
     */
    default Map<String, List<Long>> shapes(int size, List<String> taps) {
        try (Scope scope = Scope.open()) {
            return Shapes.ofOne(features(Shapes.blackImage(size), taps));
        }
    }

    /** The weights that receive gradients, by name, from the first layer to the last; empty if all layers are frozen. */
    Map<String, Tensor> parameters();

    /** The trainable weights that the features of these taps depend on. Layers after the last tap do not count. */
    default Map<String, Tensor> parameters(List<String> taps) {
        return parameters();
    }

    /** Refuses images of a side that it cannot take. */
    default void requireSize(long side) {}

    /**
     * Refuses a layer that does not exist or has no trainable weights for these taps.
     *
     * @param from the first trainable layer
     * @param taps where features are taken: layers after them are not trained
     */
    default void requireLearning(String from, List<String> taps) {}

    /**
     * The names of {@link #parameters(List)}, block by block from the first layer to the last. A block holds layers of equal
     * depth, for learning rates that fall with the depth. If the depths are unknown, there is one block.
     */
    default List<List<String>> trainableBlocks(List<String> taps) {
        return List.of(List.copyOf(parameters(taps).keySet()));
    }

    /** Frees the weights. */
    @Override
    void close();

    /** The features of one tap: [batch, channels, height/stride, width/stride] or [batch, channels]. */
    default Tensor features(Tensor images, String tap) {
        return Objects.requireNonNull(features(images, List.of(tap)).get(tap));
    }

    /** The last layer with feature maps, which describe images by default. */
    default Tap lastConvolution() {
        return taps().stream()
                .filter(Tap::hasMaps)
                .reduce((first, second) -> second)
                .orElseThrow(() -> new IllegalArgumentException(name() + " has no layer with feature maps"));
    }

    /** The last layer whose feature maps have one cell per this number of pixels; empty if there is none. */
    default Optional<Tap> lastOfStride(int stride) {
        return taps().stream()
                .filter(tap -> tap.hasMaps() && tap.stride() == stride)
                .reduce((first, second) -> second);
    }

    /** The tap of this name or alias. */
    default Tap tap(String name) {
        return taps().stream()
                .filter(tap -> tap.isCalled(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name() + " has no layer '" + name + "'; it has "
                        + taps().stream().map(Tap::name).toList()));
    }
}
