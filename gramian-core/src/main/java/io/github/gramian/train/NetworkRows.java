package io.github.gramian.train;

import io.github.gramian.model.Network;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** The descriptors that a network makes of a source's images, a row a view. */
record NetworkRows(Network network, BatchSource source, int batchSize) implements DescriptorRows {

    @Override
    public long count() {
        return (long) source.count() * source.views();
    }

    @Override
    public long length() {
        return network.descriptorLength();
    }

    @Override
    public Tensor rows(long from, long to) {
        int views = source.views();
        int first = (int) (from / views);
        int last = (int) ((to + views - 1) / views);
        try (Scope scope = Scope.open();
                BatchSource.Stream batches =
                        source.open(IntStream.range(first, last).toArray(), batchSize, new Seed(0))) {
            List<Tensor> parts = new ArrayList<>();
            while (batches.hasNext()) {
                try (Scope step = Scope.open()) {
                    parts.add(step.promote(network.describe(batches.next().maps())));
                }
            }
            Tensor all = torch.cat(new TensorVector(parts.toArray(Tensor[]::new)), 0);
            return scope.promote(all.narrow(0, from - (long) first * views, to - from));
        }
    }

    /** The label of every row. */
    int[] rowLabels() {
        int[] labels = source.labels();
        return IntStream.range(0, Math.toIntExact(count()))
                .map(row -> labels[row / source.views()])
                .toArray();
    }

    /** The image of every row: views of one image are left out together. */
    int[] groups() {
        return IntStream.range(0, Math.toIntExact(count()))
                .map(row -> row / source.views())
                .toArray();
    }
}
