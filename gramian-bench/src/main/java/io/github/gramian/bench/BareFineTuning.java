package io.github.gramian.bench;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.model.Network;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * Fine-tuning of the last stage of ResNet-50 as anybody would write it down for LibTorch: a loop over batches of images,
 * autograd, momentum in place. Settings are ours: channels last, trainable weights in float, batch-norms with
 * fixed statistics, gradients clipped weight by weight; the network after is ours with its own optimizer. The baseline for
 * stage 2.
 */
final class BareFineTuning implements AutoCloseable {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int FROZEN_STAGES = 3;
    private static final int BLOCKS = 3;
    private static final int WIDTH = 512;
    private static final double EPSILON = 1e-3;

    private final Network network;
    private final StageConfig config;
    private final SoftmaxCrossEntropy loss;
    private final Optimizer headOptimizer;
    private final BareResNet50 front;
    private final List<Normed> convolutions = new ArrayList<>();
    private final List<Tensor> learning = new ArrayList<>();
    private final List<Tensor> velocities = new ArrayList<>();

    /** A convolution with its batch-norm. */
    private record Normed(Tensor weight, Tensor bias, Tensor gamma, Tensor beta, Tensor mean, Tensor variance) {}

    /**
     * @param network after the last stage; is trained, and belongs to the caller
     * @param precision of activations
     */
    BareFineTuning(Network network, StageConfig config, Precision precision) {
        this.network = network;
        this.config = config;
        this.front = new BareResNet50(precision, true);
        this.loss = new SoftmaxCrossEntropy(
                config.regularisation().labelSmoothing(), network.config().logitScale());
        List<Parameter> descriptors = network.branches().stream()
                .map(Layer::parameters)
                .flatMap(List::stream)
                .toList();
        this.headOptimizer = new RiemannianSgd(
                List.of(
                        ParameterGroup.of(descriptors)
                                .withRateFactor(config.rates().convolution())
                                .withClip(config.rates().convolutionClip())
                                .withWeightDecay(config.regularisation().weightDecay()),
                        ParameterGroup.of(network.classifier().parameters())
                                .withRateFactor(config.rates().classifier())
                                .withWeightDecay(config.regularisation().weightDecay())),
                config.momentum());
        try (Scope scope = Scope.open()) {
            int inputs = 2 * WIDTH;
            for (int block = 0; block < BLOCKS; block++) {
                add(inputs, WIDTH, 1);
                add(WIDTH, WIDTH, 3);
                add(WIDTH, 4 * WIDTH, 1);
                if (block == 0) {
                    add(inputs, 4 * WIDTH, 1);
                }
                inputs = 4 * WIDTH;
            }
        }
    }

    private void add(int inputs, int outputs, int kernel) {
        double deviation = Math.sqrt(1.0 / (inputs * kernel * kernel));
        Tensor weight = new Seed(convolutions.size()).normal(FLOAT, outputs, inputs, kernel, kernel);
        convolutions.add(new Normed(
                learns(weight.mul_(scalar(deviation)).contiguous(MemoryFormat.ChannelsLast)),
                learns(zeros(outputs)),
                learns(ones(outputs)),
                learns(zeros(outputs)),
                Scope.own(zeros(outputs)),
                Scope.own(ones(outputs))));
    }

    private static Tensor zeros(int length) {
        return torch.zeros(new long[] {length}, FLOAT.options());
    }

    private static Tensor ones(int length) {
        return torch.ones(new long[] {length}, FLOAT.options());
    }

    private Tensor learns(Tensor weight) {
        Tensor trainable = Scope.own(weight);
        trainable.set_requires_grad(true);
        learning.add(trainable);
        velocities.add(Scope.own(torch.zeros_like(weight)));
        return trainable;
    }

    /** The trainable weights of the backbone, from the first layer to the last. */
    List<Tensor> learning() {
        return List.copyOf(learning);
    }

    /** One step on [batch, 3, 224, 224] with labels [batch]; the loss before it. */
    double step(Tensor images, Tensor labels) {
        Tensor features = features(images);
        Network.Result result =
                network.forward(List.of(FeatureMaps.flat(features.detach(), FLOAT)), Phase.training(new Seed(0)));
        SoftmaxCrossEntropy.Result lossResult = loss.of(result.scores(), labels);
        double value = lossResult.loss().item_double();
        Tensor gradient = result.backward(lossResult.logitGradient()).get(0);
        features.backward(
                FeatureMaps.unflat(gradient, features), new BoolOptional(), false, new TensorArrayRefOptional());
        headOptimizer.step(1);
        headOptimizer.clearGradients();
        try (NoGradGuard noGradients = new NoGradGuard()) {
            for (int i = 0; i < learning.size(); i++) {
                move(learning.get(i), velocities.get(i));
            }
        }
        return value;
    }

    private Tensor features(Tensor images) {
        Tensor x = front.features(images, FROZEN_STAGES);
        int next = 0;
        for (int block = 0; block < BLOCKS; block++) {
            int stride = block == 0 ? 2 : 1;
            Tensor y = torch.relu_(convolve(x, next++, stride, 0));
            y = torch.relu_(convolve(y, next++, 1, 1));
            y = convolve(y, next++, 1, 0);
            Tensor shortcut = block == 0 ? convolve(x, next++, stride, 0) : x;
            x = torch.relu_(y.add_(shortcut));
        }
        return x;
    }

    private Tensor convolve(Tensor x, int index, int stride, int padding) {
        Normed layer = convolutions.get(index);
        Tensor y = torch.conv2d(
                x,
                layer.weight.to(x.scalar_type()),
                new TensorOptional(layer.bias.to(x.scalar_type())),
                new long[] {stride, stride},
                new long[] {padding, padding},
                new long[] {1, 1},
                1);
        return torch.batch_norm(
                y,
                new TensorOptional(layer.gamma),
                new TensorOptional(layer.beta),
                new TensorOptional(layer.mean),
                new TensorOptional(layer.variance),
                false,
                0,
                EPSILON,
                false);
    }

    private void move(Tensor weight, Tensor velocity) {
        Tensor gradient =
                weight.grad().add_(weight, scalar(config.regularisation().weightDecay()));
        Tensor shrink = gradient.norm()
                .reciprocal_()
                .mul_(scalar(config.rates().backboneClip()))
                .clamp_max_(scalar(1.0));
        velocity.mul_(scalar(config.momentum())).add_(gradient.mul_(shrink));
        weight.add_(velocity, scalar(-config.rates().backbone()));
        gradient.zero_();
    }

    @Override
    public void close() {
        front.close();
        headOptimizer.close();
        Stream.concat(learning.stream(), velocities.stream()).forEach(Scope::disown);
        convolutions.forEach(layer -> {
            Scope.disown(layer.mean);
            Scope.disown(layer.variance);
        });
    }
}
