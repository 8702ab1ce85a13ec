package io.github.gramian.bench;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Counts the floating-point operations of a backbone: two per multiplication and addition, in convolutions, products and
 * attention. Sums, norms and activations are not counted.
 */
final class Operations {

    private final int size;
    private double count;
    private double side;

    private Operations(int size) {
        this.size = size;
        this.side = size;
    }

    /**
     * The operations for one image.
     *
     * @param backbone name of a built-in network and its variant, such as {@code resnet50-keras}
     * @param taps the network is computed up to the last of these layers
     * @param size side of the image, in pixels
     */
    static double perImage(String backbone, List<String> taps, int size) {
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT).plain();
        try (ConvolutionalBackbone network =
                ConvolutionalBackbone.random(BackboneConfig.named(backbone), new Seed(1), options)) {
            return perImage(network.steps(), taps, size);
        }
    }

    /** The same for a network that is open. */
    static double perImage(List<BackboneStep> steps, List<String> taps, int size) {
        Operations operations = new Operations(size);
        int missing = taps.size();
        for (BackboneStep step : steps) {
            if (missing == 0) {
                break;
            }
            operations.add(step);
            missing -= (int) taps.stream().filter(step.tap()::isCalled).count();
        }
        return operations.count;
    }

    private void add(BackboneStep step) {
        if (step instanceof BackboneStep.Convolved one) {
            convolution(one.convolution());
        } else if (step instanceof BackboneStep.Residual one) {
            double before = side;
            one.shortcut().ifPresent(this::convolution);
            side = before;
            one.path().forEach(this::convolution);
        } else if (step instanceof BackboneStep.Stem one) {
            convolution(one.convolution());
        } else if (step instanceof BackboneStep.ConvNextBlock one) {
            one.halving().ifPresent(halving -> convolution(halving.convolution()));
            convolution(one.depthwise());
            mlp(one.mlp(), side * side);
        } else if (step instanceof BackboneStep.Embedding one) {
            convolution(one.patches());
        } else if (step instanceof BackboneStep.TransformerBlock one) {
            double tokens = side * side + one.others();
            product(one.attention().qkv(), tokens);
            product(one.attention().out(), tokens);
            double channels = one.attention().out().weight().size(0);
            count += 2 * 2 * tokens * tokens * channels; // QKᵀ, and its product with V
            mlp(one.mlp(), tokens);
        }
        int stride = step.tap().stride();
        if (stride > 0) {
            side = Math.ceil((double) size / stride);
        }
    }

    /** Zero padding counts, as it does for the engines that compute it. */
    private void convolution(BackboneStep.Convolution convolution) {
        Tensor weight = convolution.weight();
        side = Math.ceil(side / convolution.stride());
        count += 2.0 * weight.numel() * side * side;
    }

    private void mlp(BackboneStep.Mlp mlp, double positions) {
        product(mlp.first(), positions);
        product(mlp.second(), positions);
    }

    private void product(BackboneStep.Product product, double positions) {
        count += 2.0 * product.weight().numel() * positions;
    }
}
