package io.github.gramian.backbone;

import io.github.gramian.image.Normalisation;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The framework or publication that an architecture is computed as in. Weights trained in one variant compute incorrect
 * features in another, although their shapes fit; so every weights file names its variant.
 */
public enum Variant {
    /** Stride on the 3×3 convolution of a bottleneck, no biases next to batch-norm, ε = 1e-5. Also timm's. */
    TORCHVISION(false, false, 1e-5, Normalisation.TORCHVISION),
    /** Stride on the first 1×1 convolution as in Caffe's original, biases, ε = 1e-3: Keras' first ResNet-50. */
    KERAS(true, true, 1e-3, Normalisation.CAFFE),
    /** As {@link #KERAS}, but ε = 1.001e-5: the ResNets of today's {@code keras.applications}. */
    KERAS_APPLICATIONS(true, true, 1.001e-5, Normalisation.CAFFE),
    /** A vision transformer as DINOv2 published it first, without registers; positions are resized in its own way. */
    DINOV2(false, true, 1e-6, Normalisation.TORCHVISION),
    /** DINOv2 with four register tokens; positions are resized with a filter. Also timm's. */
    DINOV2_REGISTERS(false, true, 1e-6, Normalisation.TORCHVISION),
    /** timm's DINOv2 without registers: the same weights as {@link #DINOV2}, positions resized with a filter. */
    TIMM(false, true, 1e-6, Normalisation.TORCHVISION);

    private final boolean strideFirst;
    private final boolean biases;
    private final double epsilon;
    private final Normalisation normalisation;

    Variant(boolean strideFirst, boolean biases, double epsilon, Normalisation normalisation) {
        this.strideFirst = strideFirst;
        this.biases = biases;
        this.epsilon = epsilon;
        this.normalisation = normalisation;
    }

    /** The variant with this key, such as {@code keras-applications}. */
    public static Variant named(String key) {
        return Arrays.stream(values())
                .filter(variant -> variant.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no variant '" + key + "'; choose one of "
                        + Arrays.stream(values()).map(Variant::key).collect(Collectors.joining(", "))));
    }

    /** The name used in files and settings. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether a bottleneck's stride stands on its first convolution. */
    public boolean strideFirst() {
        return strideFirst;
    }

    /** Whether convolutions that a batch-norm follows have biases. */
    public boolean biases() {
        return biases;
    }

    /** What batch-norm adds to a variance. Layer norms, of ConvNeXt and vision transformers, add 1e-6 in every variant. */
    public double epsilon() {
        return epsilon;
    }

    /** How pixels must be normalised. */
    public Normalisation normalisation() {
        return normalisation;
    }
}
