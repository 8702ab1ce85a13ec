package io.github.gramian.model;

import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.tensor.Precision;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** An engine for tests of what is around engines: the descriptor of an image is the pixels it receives, at all scales. */
final class EchoInference implements Inference {

    private final ModelDescription description;
    private final AtomicInteger closed = new AtomicInteger();

    /** For views of these sizes, from small to large, each the centre of the image. */
    EchoInference(int... sizes) {
        this.description = new ModelDescription(
                new NetworkConfig(
                        IntStream.of(sizes)
                                .mapToObj(size -> BranchConfig.average("res5c", size))
                                .toList(),
                        1),
                IntStream.of(sizes).map(size -> 3 * size * size).boxed().toList(),
                List.of("dark", "light"),
                new ModelDescription.BackboneNote("none", "", Precision.FLOAT, true),
                IntStream.of(sizes)
                        .mapToObj(size ->
                                Preprocessing.centre(size, size, Interpolation.BILINEAR, Normalisation.TORCHVISION))
                        .toList(),
                Optional.empty(),
                Map.of());
    }

    /** How often it was closed. */
    int closed() {
        return closed.get();
    }

    @Override
    public Answers answers(List<InputPixels> scales, int views, boolean describe) {
        if (closed.get() > 0) {
            throw new AssertionError("the engine was closed before");
        }
        int images = scales.get(0).images().size();
        float[][] descriptors = new float[images][];
        float[][] probabilities = new float[images][];
        for (int i = 0; i < images; i++) {
            descriptors[i] = concatenated(scales, i);
            float light = (float) (1 / (1 + Math.exp(-mean(descriptors[i]))));
            probabilities[i] = new float[] {1 - light, light};
        }
        return new Answers(probabilities, descriptors);
    }

    private static double mean(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    private static float[] concatenated(List<InputPixels> scales, int image) {
        int length = scales.stream()
                .mapToInt(scale -> scale.images().get(image).length)
                .sum();
        float[] all = new float[length];
        int at = 0;
        for (InputPixels scale : scales) {
            float[] values = scale.images().get(image);
            System.arraycopy(values, 0, all, at, values.length);
            at += values.length;
        }
        return all;
    }

    @Override
    public ModelDescription description() {
        return description;
    }

    @Override
    public String weightsHash() {
        return "";
    }

    @Override
    public KnownImages knownImages() {
        return KnownImages.none();
    }

    @Override
    public ModelCertainty reference() {
        return ModelCertainty.none();
    }

    @Override
    public Precision precision() {
        return Precision.FLOAT;
    }

    @Override
    public String engine() {
        return "echo";
    }

    @Override
    public ChannelOrder channelOrder() {
        return ChannelOrder.FIRST;
    }

    @Override
    public void close() {
        closed.incrementAndGet();
    }
}
