package io.github.gramian.bench.measure;

import io.github.gramian.check.internal.Rounds;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Head;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.PeakMemory;
import org.bytedeco.pytorch.Tensor;

/**
 * Memory that one step of the head needs at its highest, above what holds features, weights and gradients before: the
 * hand-written layers compared with LibTorch's autograd, as in {@link HeadBenchmark}.
 *
 * @param channels C
 * @param outputDim C′
 * @param positions N
 * @param batch images
 * @param rounds measured, alternating
 */
public record HeadMemory(int channels, int outputDim, int positions, int batch, int rounds) {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /**
     * Medians.
     *
     * @param oursMegabytes of the hand-written layers; NaN if the system does not report it
     * @param autogradMegabytes of the network with autograd
     * @param ratio ours / autograd; smaller is better
     */
    public record Result(double oursMegabytes, double autogradMegabytes, double ratio) {}

    public Result run() {
        HeadConfig config = PlainHead.handWritten(channels, outputDim);
        try (Scope scope = Scope.open();
                Head head = new Head(config, FLOAT, new Seed(1));
                PlainHead plain = new PlainHead(outputDim, config.descriptor().powerEpsilon(), FLOAT)) {
            Tensor M = new Seed(2).normal(FLOAT, batch, channels, positions).relu_();
            Tensor gradient = new Seed(3).normal(FLOAT, batch, config.descriptorLength());
            Parameter W = head.parameters().get(0);
            Runnable ours = () -> HeadBenchmark.ours(head.descriptor(), M, gradient);
            Runnable autograd = () -> HeadBenchmark.autograd(plain, M, W.value(), gradient);
            double[] oursMegabytes = new double[rounds];
            double[] autogradMegabytes = new double[rounds];
            for (int round = -1; round < rounds; round++) { // what is loaded once must not count
                double first = PeakMemory.megabytes(ours);
                double second = PeakMemory.megabytes(autograd);
                if (round >= 0) {
                    oursMegabytes[round] = first;
                    autogradMegabytes[round] = second;
                }
            }
            double mine = Rounds.median(oursMegabytes);
            double theirs = Rounds.median(autogradMegabytes);
            return new Result(mine, theirs, mine / theirs);
        }
    }
}
