package io.github.gramian.bench;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * ResNet-50 up to its last feature maps as anybody would write it down for LibTorch, with random weights and batch-norms
 * folded: the baseline for our backbone and the pipeline around it.
 */
final class BareResNet50 implements AutoCloseable {

    private static final int[] BLOCKS = {3, 4, 6, 3};

    /** The first layer runs in float, as in our backbone: pixels have more digits than bfloat16. */
    private static final Placement PIXELS = Placement.cpu(Precision.FLOAT);

    private final Placement placement;
    private final MemoryFormat format;
    private final List<Tensor> weights = new ArrayList<>();

    BareResNet50(Precision precision, boolean channelsLast) {
        this.placement = Placement.cpu(precision);
        this.format = channelsLast ? MemoryFormat.ChannelsLast : MemoryFormat.Contiguous;
        try (Scope scope = Scope.open()) {
            convolution(3, 64, 7, PIXELS);
            int inputs = 64;
            for (int stage = 0; stage < BLOCKS.length; stage++) {
                int width = 64 << stage;
                for (int block = 0; block < BLOCKS[stage]; block++) {
                    convolution(inputs, width, 1, placement);
                    convolution(width, width, 3, placement);
                    convolution(width, 4 * width, 1, placement);
                    if (block == 0) {
                        convolution(inputs, 4 * width, 1, placement);
                    }
                    inputs = 4 * width;
                }
            }
        }
    }

    private void convolution(int inputs, int outputs, int kernel, Placement where) {
        double deviation = Math.sqrt(1.0 / (inputs * kernel * kernel));
        Tensor weight = new Seed(weights.size())
                .normal(PIXELS, outputs, inputs, kernel, kernel)
                .mul_(scalar(deviation));
        weights.add(Scope.own(where.place(weight).contiguous(format)));
        weights.add(Scope.own(torch.zeros(new long[] {outputs}, where.options())));
    }

    /** [batch, 3, 224, 224] → [batch, 2048, 7, 7], the stride on the first 1×1 of a stage. */
    Tensor features(Tensor images) {
        return features(images, BLOCKS.length);
    }

    /** The same after some of the four stages. Intermediate results of a block are freed immediately, as in C++. */
    Tensor features(Tensor images, int stages) {
        int next = 0;
        Tensor x;
        try (Scope scope = Scope.open()) {
            x = Scope.own(stem(images, next++));
        }
        for (int stage = 0; stage < stages; stage++) {
            for (int block = 0; block < BLOCKS[stage]; block++) {
                Tensor before = x;
                try (Scope scope = Scope.open()) {
                    x = Scope.own(block(before, next, stage, block));
                }
                Scope.disown(before);
                next += block == 0 ? 4 : 3;
            }
        }
        Tensor result = Scope.share(x);
        Scope.disown(x);
        return result;
    }

    private Tensor stem(Tensor images, int index) {
        Tensor pixels = PIXELS.place(images).contiguous(format);
        Tensor x = placement.place(convolve(pixels, index, 2, 3).relu_());
        return torch.max_pool2d(x, new long[] {3, 3}, new long[] {2, 2}, new long[] {1, 1}, new long[] {1, 1}, false);
    }

    private Tensor block(Tensor x, int index, int stage, int block) {
        int stride = block == 0 && stage > 0 ? 2 : 1;
        Tensor y = convolve(x, index, stride, 0).relu_();
        y = convolve(y, index + 1, 1, 1).relu_();
        y = convolve(y, index + 2, 1, 0);
        Tensor shortcut = block == 0 ? convolve(x, index + 3, stride, 0) : x;
        return y.add_(shortcut).relu_();
    }

    private Tensor convolve(Tensor x, int index, int stride, int padding) {
        return torch.conv2d(
                x,
                weights.get(2 * index),
                new TensorOptional(weights.get(2 * index + 1)),
                new long[] {stride, stride},
                new long[] {padding, padding},
                new long[] {1, 1},
                1);
    }

    @Override
    public void close() {
        weights.forEach(Scope::disown);
    }
}
