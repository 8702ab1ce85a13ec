package io.github.gramian.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * Measures in which precision this machine computes features faster, each on the engine that users get: bfloat16 on LibTorch,
 * float on the fastest engine that is installed. It takes about a second.
 *
 * @param floatImagesPerSecond features of ResNet-18 in float
 * @param bfloat16ImagesPerSecond the same in bfloat16
 */
record PrecisionTrial(double floatImagesPerSecond, double bfloat16ImagesPerSecond) {

    private static final BackboneConfig NETWORK = new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 0);
    private static final String TAP = "res5b";
    private static final int BATCH = 8;
    private static final int SIZE = 224;
    private static final int ROUNDS = 3;

    /** Float is more exact, so bfloat16 must be clearly faster to be chosen. */
    private static final double MIN_GAIN = 1.1;

    /** Measures. */
    static PrecisionTrial run() {
        try (Scope scope = Scope.open();
                ConvolutionalBackbone floats = backbone(Precision.FLOAT);
                ConvolutionalBackbone bfloat16 = backbone(Precision.BFLOAT16)) {
            Tensor images = new Seed(2).normal(Placement.cpu(Precision.FLOAT), BATCH, 3, SIZE, SIZE);
            Map<String, Timing> timings = new Rounds()
                    .with(Precision.FLOAT.name(), () -> floats.features(images, TAP))
                    .with(Precision.BFLOAT16.name(), () -> bfloat16.features(images, TAP))
                    .run(1, ROUNDS);
            return new PrecisionTrial(rate(timings, Precision.FLOAT), rate(timings, Precision.BFLOAT16));
        }
    }

    private static ConvolutionalBackbone backbone(Precision precision) {
        return ConvolutionalBackbone.random(NETWORK, new Seed(1), BackboneOptions.frozen(precision));
    }

    private static double rate(Map<String, Timing> timings, Precision precision) {
        return 1e3 * BATCH / requireNonNull(timings.get(precision.name())).fastest();
    }

    /** The precision to choose. */
    Precision faster() {
        return bfloat16ImagesPerSecond > MIN_GAIN * floatImagesPerSecond ? Precision.BFLOAT16 : Precision.FLOAT;
    }
}
