package io.github.gramian.model.explain.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.aggregator.MaxPooling;
import io.github.gramian.model.ModelException;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * How much each position of feature maps M contributes to what a score s(M) = ⟨b, layers(M)⟩ gains over a baseline M⁰. Each
 * layer y = f(x) has its integrated gradients (Sundararajan et al., ICML 2017): the mean of its Jacobian J on the straight path
 * from its input x⁰ for the baseline to its input for the image,
 *
 * <pre>J̄ = ∫₀¹ J(x⁰ + t(x − x⁰)) dt,   so that J̄ (x − x⁰) = y − y⁰.</pre>
 *
 * <p>With g = J̄₁ᵀ J̄₂ᵀ … b, the contribution of n is Σ_c g_cn (M_cn − M⁰_cn). Contributions sum to s(M) − s(M⁰) if s is
 * continuous. After normalisation, a multiple of M has the score of M, and after centring so has a multiple of M without its
 * mean. On a path along these multiples, the score jumps at the start and contributions sum to zero. So M⁰ must be something
 * else, such as the features of another image.
 *
 * <p>The mean of an element-wise function's slope is (y − y⁰)/(x − x⁰), and that of a maximum is known as well. Other means are Gauss–Legendre sums of five gradients
 * on each piece of the path. A piece is halved until J̄ (x − x⁰) = y − y⁰ holds on it in the direction of g. Pieces divide u with
 * t = u², because a matrix root is steepest at the start: this halves the number of its gradients.
 */
final class Contributions {

    /** Largest difference between the sum of contributions and the gain, as a share of the gain. */
    private static final double TOLERANCE = 1e-4;

    /** The same on the path of one layer. */
    private static final double LAYER_TOLERANCE = 3e-5;

    /** Each of the few shorter pieces may have as large a difference as a piece of this length. */
    private static final double FULL_TOLERANCE = 1.0 / 64;

    /** With more pieces, the score jumps, or its gradients are not exact. */
    private static final int MAX_PIECES = 1000;

    private static final double INNER = Math.sqrt(5 - 2 * Math.sqrt(10 / 7.0)) / 6;
    private static final double OUTER = Math.sqrt(5 + 2 * Math.sqrt(10 / 7.0)) / 6;
    private static final double INNER_WEIGHT = (322 + 13 * Math.sqrt(70)) / 1800;
    private static final double OUTER_WEIGHT = (322 - 13 * Math.sqrt(70)) / 1800;

    /** Gauss–Legendre points of a piece from 0 to 1, and its end. */
    private static final double[] POINTS = {0.5 - OUTER, 0.5 - INNER, 0.5, 0.5 + INNER, 0.5 + OUTER, 1};

    /** Their weights in the integral; the end has none, because only the output there is needed. */
    private static final double[] WEIGHTS = {OUTER_WEIGHT, INNER_WEIGHT, 64 / 225.0, INNER_WEIGHT, OUTER_WEIGHT, 0};

    private final Layer layer;
    private final Tensor start;
    private final Tensor difference;
    private final Tensor direction;
    private final Tensor allowed;
    private final Tensor mean;
    private int pieces;

    private Contributions(Layer layer, Tensor start, Tensor end, Tensor direction, Tensor allowed) {
        this.layer = layer;
        this.start = start;
        this.difference = end.sub(start);
        this.direction = direction;
        this.allowed = allowed;
        this.mean = torch.zeros_like(start);
    }

    /**
     * The contributions of all positions, [batch, N].
     *
     * @param layers from feature maps to a descriptor; their parameters receive gradients that mean nothing
     * @param maps M: [batch, C, N]
     * @param baseline M⁰, of the same shape
     * @param b the classifier's weights of the score: [1, length of a descriptor]
     * @throws ModelException if the contributions do not sum to the gain
     */
    static Tensor of(List<Layer> layers, Tensor maps, Tensor baseline, Tensor b) throws ModelException {
        try (Scope scope = Scope.open()) {
            List<Tensor> starts = outputs(layers, baseline);
            List<Tensor> ends = outputs(layers, maps);
            Tensor g = b.expand(maps.size(0), -1);
            int last = layers.size();
            Tensor gain = inner(g, ends.get(last).sub(starts.get(last)));
            Tensor allowed = gain.abs().mul_(scalar(LAYER_TOLERANCE));
            for (int i = last - 1; i >= 0; i--) {
                Layer layer = layers.get(i);
                if (layer instanceof PowerNormalisation || layer instanceof Relu) {
                    Tensor slope = ends.get(i + 1)
                            .sub(starts.get(i + 1))
                            .div_(ends.get(i).sub(starts.get(i)));
                    g = g.mul(slope.nan_to_num_());
                } else if (layer instanceof MaxPooling) {
                    g = g.unsqueeze(2).mul(timeAsLargest(starts.get(i), ends.get(i)));
                } else {
                    Contributions path = new Contributions(layer, starts.get(i), ends.get(i), g, allowed);
                    path.addPiece(0, 1, inner(g, starts.get(i + 1)));
                    g = path.mean;
                }
            }
            Tensor contributions = g.mul(maps.sub(baseline)).sum(1);
            Tensor error = contributions.sum(1).sub_(gain).abs_();
            if (!error.le(gain.abs().mul_(scalar(TOLERANCE))).all().item_bool()) {
                throw doNotAddUp();
            }
            return scope.promote(contributions);
        }
    }

    /**
     * The part of the path from x⁰ to x on which each position is the largest of its channel: the mean Jacobian of the maximum,
     * [batch, C, N]. The maximum of lines has a corner wherever another line overtakes, so it is followed from one corner to the
     * next. Every line that overtakes is steeper than all before it, which ends the loop.
     */
    private static Tensor timeAsLargest(Tensor start, Tensor end) {
        Tensor slopes = end.sub(start);
        Tensor time = torch.zeros_like(start);
        Tensor largest = start.argmax(new LongOptional(2), true);
        Tensor now = torch.zeros_like(start.narrow(2, 0, 1));
        while (now.lt(scalar(1)).any().item_bool()) {
            Tensor faster = slopes.sub(slopes.gather(2, largest));
            Tensor overtaken = start.gather(2, largest)
                    .sub(start)
                    .div_(faster)
                    .masked_fill_(faster.le(scalar(0)), scalar(Double.POSITIVE_INFINITY));
            Tensor next = overtaken.argmin(new LongOptional(2), true);
            Tensor then = torch.maximum(now, overtaken.gather(2, next).clamp_max(scalar(1)));
            time.scatter_add_(2, largest, then.sub(now));
            largest = next;
            now = then;
        }
        return time;
    }

    private static ModelException doNotAddUp() {
        return new ModelException(
                "this model has no map of this image, because the contributions of positions do not add up"
                        + " to the score: it jumps, or its gradients are not exact; use an aggregator without jumps");
    }

    /** The input, and the output of each layer. */
    private static List<Tensor> outputs(List<Layer> layers, Tensor input) {
        List<Tensor> all = new ArrayList<>(List.of(input));
        for (Layer layer : layers) {
            all.add(layer.apply(all.get(all.size() - 1)));
        }
        return all;
    }

    /** ⟨u, v⟩ of each image: [batch]. */
    private static Tensor inner(Tensor u, Tensor v) {
        return u.mul(v).flatten(1, -1).sum(1);
    }

    /**
     * Adds a piece of the path to the mean.
     *
     * @param before ⟨g, y⟩ at its start
     * @return ⟨g, y⟩ at its end
     */
    private Tensor addPiece(double from, double to, Tensor before) {
        pieces++;
        double length = to - from;
        try (Scope scope = Scope.open()) {
            TensorVector points = new TensorVector();
            TensorVector weighted = new TensorVector();
            for (int i = 0; i < POINTS.length; i++) {
                double u = from + length * POINTS[i];
                points.push_back(start.add(difference, scalar(u * u)));
                weighted.push_back(direction.mul(scalar(2 * u * length * WEIGHTS[i])));
            }
            Pass pass = layer.forward(torch.cat(points, 0), Phase.inference());
            long images = before.size(0);
            Tensor after =
                    inner(direction, pass.output().narrow(0, pass.output().size(0) - images, images));
            Tensor found = pass.backward(torch.cat(weighted, 0))
                    .unflatten(0, new long[] {POINTS.length, images})
                    .sum(0);
            Tensor error = after.sub(before).sub_(inner(found, difference)).abs_();
            if (error.le(allowed.mul(scalar(Math.max(length, FULL_TOLERANCE))))
                    .all()
                    .item_bool()) {
                mean.add_(found);
                return scope.promote(after);
            }
        }
        if (pieces >= MAX_PIECES) {
            throw doNotAddUp();
        }
        double middle = (from + to) / 2;
        return addPiece(middle, to, addPiece(from, middle, before));
    }
}
