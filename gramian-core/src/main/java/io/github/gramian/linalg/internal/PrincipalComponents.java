package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.ScalarTypes;
import java.util.Arrays;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Principal components of feature vectors that arrive in batches: mean μ = Σx / n and the leading eigenvectors of the
 * covariance Σ(x − μ)(x − μ)ᵀ / n.
 *
 * <p>A first batch's mean is subtracted from every vector before anything is summed: the difference of two large sums
 * would lose the digits of features whose mean is large compared with their spread. Products of one batch are computed in the
 * batch's own precision, sums over batches in double and in the order of the calls: the same batches give the same bits.
 *
 * <p>The accumulator owns its sums until it is closed; what it returns belongs to the caller's scope. Not for several
 * threads at once.
 */
public final class PrincipalComponents implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final long channels;
    private final Tensor sum;
    private final Tensor products;
    private @Nullable Tensor shift;
    private long count;

    /**
     * A basis for y = componentsᵀ(x − mean).
     *
     * @param mean [C]
     * @param components orthonormal columns, the entry of largest magnitude of each positive: [C, k]
     * @param variances along the components, divided by n, descending and never negative: [k]
     */
    public record Basis(Tensor mean, Tensor components, Tensor variances) {}

    public PrincipalComponents(long channels) {
        if (channels < 1) {
            throw new IllegalArgumentException("features need at least one channel, but there are " + channels);
        }
        this.channels = channels;
        try (Scope scope = Scope.open()) {
            this.sum = Scope.own(torch.zeros(new long[] {channels}, DOUBLE.options()));
            this.products = Scope.own(torch.zeros(new long[] {channels, channels}, DOUBLE.options()));
        }
    }

    /** Adds feature maps [batch, C, N], whose N columns are vectors each, or rows [n, C]. */
    public void add(Tensor features) {
        long[] shape = features.sizes().vec().get();
        if ((shape.length != 2 && shape.length != 3) || shape[1] != channels) {
            throw new IllegalArgumentException("expected feature maps [batch, " + channels + ", N] or rows [n, "
                    + channels + "] but got " + Arrays.toString(shape) + "; open an accumulator of their channels");
        }
        try (Scope scope = Scope.open()) {
            Tensor columns = columns(features.detach());
            if (columns.size(1) > 0) {
                addColumns(columns);
            }
        }
    }

    /** [C, n] on the CPU, in float or double. */
    private static Tensor columns(Tensor features) {
        Tensor maps = features.dim() == 2 ? features.t() : features.transpose(0, 1);
        boolean isDouble = ScalarTypes.precision(features) == Precision.DOUBLE;
        return Placement.cpu(isDouble ? Precision.DOUBLE : Precision.FLOAT)
                .place(maps)
                .reshape(maps.size(0), -1);
    }

    private void addColumns(Tensor columns) {
        Placement placement = Placement.of(columns);
        Tensor origin = shift;
        if (origin == null) {
            // Rounded to the batch's precision, so that subtracting it is exact enough for either.
            Tensor mean = DOUBLE.place(columns).mean(1);
            origin = Scope.own(DOUBLE.place(placement.place(mean)));
            shift = origin;
        }
        Tensor shifted = columns.sub(placement.place(origin).unsqueeze(1));
        sum.add_(DOUBLE.place(shifted).sum(1));
        try (Blas.AllThreads span = Blas.allThreads()) {
            products.add_(DOUBLE.place(shifted.matmul(shifted.t())));
        }
        count += columns.size(1);
    }

    /**
     * Mean and the k leading components, in double. k may exceed the rank of the data: the basis is completed to an
     * orthonormal one with directions of variance 0.
     */
    public Basis leading(long k) {
        Tensor origin = shift;
        if (origin == null) {
            throw new IllegalStateException("no features were added; add training batches before asking for a basis");
        }
        try (Scope scope = Scope.open()) {
            Tensor offset = sum.div(scalar((double) count));
            Tensor covariance = products.div(scalar((double) count)).sub(offset.outer(offset));
            LeadingEigenvectors.Basis basis = LeadingEigenvectors.of(covariance, k);
            return new Basis(
                    scope.promote(origin.add(offset)),
                    scope.promote(basis.vectors()),
                    scope.promote(basis.values().clamp_min(scalar(0.0))));
        }
    }

    @Override
    public void close() {
        Scope.disown(sum);
        Scope.disown(products);
        if (shift != null) {
            Scope.disown(shift);
        }
    }
}
