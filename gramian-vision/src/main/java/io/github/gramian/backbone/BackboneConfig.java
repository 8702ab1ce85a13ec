package io.github.gramian.backbone;

import io.github.gramian.backbone.internal.Blueprint;

/**
 * A built-in network without its weights: everything that decides their names and shapes, and the arithmetic.
 *
 * @param architecture such as ResNet-50
 * @param variant the framework or publication that its weights come from
 * @param classes number of classes of the network's classifier; 0 if it has none and ends with its convolutions
 */
public record BackboneConfig(Architecture architecture, Variant variant, int classes) {

    private static final int MAX_CLASSES = 1_000_000;

    public BackboneConfig {
        if (!architecture.variants().contains(variant)) {
            throw new IllegalArgumentException(architecture.key() + " does not exist in the variant " + variant.key()
                    + "; choose one of "
                    + architecture.variants().stream().map(Variant::key).toList());
        }
        if (classes > 0 && Blueprint.of(architecture).classifier().isEmpty()) {
            throw new IllegalArgumentException(architecture.key() + " has no classifier; its classes must be 0");
        }
        if (classes < 0 || classes > MAX_CLASSES) {
            throw new IllegalArgumentException(
                    "classes must lie in 0.." + MAX_CLASSES + " but is " + classes + "; 0 means no classifier");
        }
    }

    /**
     * The network with a {@link #key} such as {@code resnet50-keras}, without a classifier.
     *
     * @throws IllegalArgumentException if no built-in network has this key
     */
    public static BackboneConfig named(String key) {
        int dash = key.indexOf('-');
        if (dash < 0) {
            throw new IllegalArgumentException("'" + key + "' is not a built-in backbone");
        }
        return new BackboneConfig(
                Architecture.named(key.substring(0, dash)), Variant.named(key.substring(dash + 1)), 0);
    }

    /** Such as {@code resnet50-keras}. */
    public String key() {
        return architecture.key() + "-" + variant.key();
    }
}
