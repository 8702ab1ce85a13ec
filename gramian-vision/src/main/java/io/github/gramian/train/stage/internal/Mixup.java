package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.Tensor;

/**
 * xᵢ ← λxᵢ + (1 − λ)x_π(i) for a random order π of the rows of a batch: images mixed in pairs, and their labels likewise
 * (Zhang et al., mixup). λ is drawn from Beta(α, α) once per batch; the larger part belongs to the row itself, so that
 * the accuracy in training remains meaningful.
 *
 * @param share λ, the weight of a row itself, from ½ to 1
 * @param partners π: [rows]
 */
record Mixup(double share, Tensor partners) {

    /** The same for the same seed. */
    static Mixup draw(double alpha, int rows, Placement placement, Seed seed) {
        double lambda = alpha == 0 ? 1 : beta(alpha, seed.random());
        return new Mixup(
                Math.max(lambda, 1 - lambda),
                seed.child("partners").uniform(placement, rows).argsort());
    }

    /** Jöhnk's method for Beta(α, α): fast for the small α used here. */
    private static double beta(double alpha, SplittableRandom random) {
        while (true) {
            double x = Math.pow(random.nextDouble(), 1 / alpha);
            double y = Math.pow(random.nextDouble(), 1 / alpha);
            if (x + y > 0 && x + y <= 1) {
                return x / (x + y);
            }
        }
    }

    /** Rows mixed: [rows, …], maps as well as labels as distributions over classes. */
    Tensor mix(Tensor rows) {
        return share == 1 ? rows : combined(rows, partners);
    }

    /** The maps of every branch, mixed. */
    List<Tensor> mix(List<Tensor> maps) {
        return maps.stream().map(this::mix).toList();
    }

    /** Gradients of mixed maps → gradients of the maps: gᵢ ← λgᵢ + (1 − λ)g_π⁻¹(i). */
    List<Tensor> back(List<Tensor> gradients) {
        if (share == 1) {
            return gradients;
        }
        Tensor inverse = partners.argsort();
        return gradients.stream().map(gradient -> combined(gradient, inverse)).toList();
    }

    private Tensor combined(Tensor rows, Tensor order) {
        Tensor result = rows.mul(scalar(share));
        try (Tensor others = rows.index_select(0, order)) {
            result.add_(others, scalar(1 - share));
        }
        return result;
    }
}
