package io.github.gramian.distributed.internal;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Tensors that are exchanged together: a large one as it is, small ones concatenated, since each exchange costs a fraction
 * of a millisecond whatever its size.
 *
 * @param tensors those that were copied, of one type, each as a vector in the order of its memory
 * @param joined the vector that is exchanged: the only one, or a concatenated copy of all
 */
record Bucket(List<Tensor> tensors, Tensor joined) {

    /** Elements from which on a tensor is exchanged by itself. */
    private static final long LARGE = 1 << 18;

    /**
     * Groups tensors into buckets, in an order that depends only on their shapes and types. Their memory is exchanged as it
     * lies, so all processes must hold a tensor in the same layout, whichever that is.
     */
    static List<Bucket> of(List<Tensor> tensors) {
        List<Bucket> buckets = new ArrayList<>();
        List<Tensor> small = new ArrayList<>();
        for (Tensor tensor : tensors) {
            if (!tensor.is_non_overlapping_and_dense()) {
                throw new IllegalArgumentException("only dense tensors can be exchanged; call contiguous() first");
            }
            if (tensor.numel() >= LARGE) {
                buckets.add(new Bucket(List.of(), asItLies(tensor)));
            } else if (tensor.numel() > 0) {
                if (!small.isEmpty() && !fits(small, tensor)) {
                    buckets.add(join(small));
                    small.clear();
                }
                small.add(asItLies(tensor));
            }
        }
        if (!small.isEmpty()) {
            buckets.add(join(small));
        }
        return buckets;
    }

    private static Tensor asItLies(Tensor tensor) {
        return tensor.as_strided(new long[] {tensor.numel()}, new long[] {1});
    }

    private static boolean fits(List<Tensor> small, Tensor next) {
        long elements = small.stream().mapToLong(Tensor::numel).sum();
        return elements + next.numel() <= LARGE && small.get(0).scalar_type().value == next.scalar_type().value;
    }

    private static Bucket join(List<Tensor> small) {
        if (small.size() == 1) {
            return new Bucket(List.of(), small.get(0));
        }
        return new Bucket(List.copyOf(small), torch.cat(new TensorVector(small.toArray(Tensor[]::new)), 0));
    }

    /** Copies the result of the exchange back into tensors that were copied. */
    void giveBack() {
        long start = 0;
        for (Tensor tensor : tensors) {
            tensor.copy_(joined.narrow(0, start, tensor.numel()));
            start += tensor.numel();
        }
    }
}
