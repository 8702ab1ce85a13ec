package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * L = −(1/batch) Σ Σₖ qₖ ln pₖ with p = softmax(s·z), and q the label's indicator smoothed towards uniform.
 *
 * @param labelSmoothing α: q = (1 − α)·indicator + α/classes
 * @param logitScale s: sharpens the softmax of descriptors of unit length, whose logits are small
 */
public record SoftmaxCrossEntropy(double labelSmoothing, double logitScale) {

    public SoftmaxCrossEntropy {
        if (!(labelSmoothing >= 0 && labelSmoothing < 1)) {
            throw new IllegalArgumentException("label smoothing must lie in [0, 1) but is " + labelSmoothing);
        }
        if (!(logitScale > 0 && logitScale < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the logit scale must be positive but is " + logitScale);
        }
    }

    /** No smoothing, no scaling: the paper's loss. */
    public static SoftmaxCrossEntropy plain() {
        return new SoftmaxCrossEntropy(0, 1);
    }

    /**
     * A loss with its probabilities and gradient.
     *
     * @param loss L: one number
     * @param probabilities p: [batch, classes]
     * @param logitGradient ∂L/∂z = s(p − q)/batch: [batch, classes]
     */
    public record Result(Tensor loss, Tensor probabilities, Tensor logitGradient) {}

    /** The loss of logits z: [batch, classes] for labels: [batch], Long, each in 0..classes−1. */
    public Result of(Tensor z, Tensor labels) {
        return ofTargets(z, targets(z, labels));
    }

    /** q of labels: [batch, classes], smoothed, in the precision of the logits z. */
    public Tensor targets(Tensor z, Tensor labels) {
        double floor = labelSmoothing / z.size(1);
        return torch.full_like(z, scalar(floor)).scatter_(1, labels.unsqueeze(1), scalar(floor + 1 - labelSmoothing));
    }

    /** The loss of logits z: [batch, classes] for any q: [batch, classes] whose rows sum to 1. */
    public Result ofTargets(Tensor z, Tensor q) {
        Tensor logP = z.mul(scalar(logitScale)).log_softmax(1);
        Tensor loss = logP.mul(q).sum().mul_(scalar(-1.0 / z.size(0)));
        Tensor p = logP.exp();
        Tensor gradient = p.sub(q).mul_(scalar(logitScale / z.size(0)));
        return new Result(loss, p, gradient);
    }

    /**
     * The loss of logits z: [batch, classes] for q: [batch, classes] whose rows are times the weights of the samples. A row sums to
     * its weight w, and ∂L/∂z = s(w·p − q)/batch.
     */
    public Result ofWeightedTargets(Tensor z, Tensor q) {
        Result plain = ofTargets(z, q);
        Tensor p = plain.probabilities();
        Tensor weights = q.sum(new long[] {1}, true, new ScalarTypeOptional());
        Tensor gradient = p.mul(weights).sub_(q).mul_(scalar(logitScale / z.size(0)));
        return new Result(plain.loss(), p, gradient);
    }
}
