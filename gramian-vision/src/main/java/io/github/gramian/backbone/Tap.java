package io.github.gramian.backbone;

import java.util.List;

/**
 * A layer of a backbone whose output can be taken as features, after its ReLU if it has one.
 *
 * @param name in Caffe's way: {@code conv5_3}, {@code res4f}; of later networks {@code stage4_3}, {@code block12}
 * @param aliases what other frameworks call it
 * @param channels of its output
 * @param stride pixels of the image per step of the feature map; 0 when the output is a vector
 */
public record Tap(String name, List<String> aliases, int channels, int stride) {

    public Tap {
        aliases = List.copyOf(aliases);
    }

    /** Whether its output describes positions: it is not a vector, and not the pool of another layer. */
    boolean hasMaps() {
        return stride > 0 && !name.startsWith("pool");
    }

    /** Whether it goes by this name. */
    public boolean isCalled(String anyName) {
        return name.equals(anyName) || aliases.contains(anyName);
    }
}
