package io.github.gramian.train.descriptor.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.model.Network;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * The descriptors that a network makes of a source's images, a row an image: the mean over its views. A linear classifier
 * gives the mean descriptor the mean of the views' scores, so training and prediction agree, and five crops cost no
 * more rows than one.
 */
public record NetworkDescriptors(Network network, BatchSource source, int batchSize) implements Descriptors {

    @Override
    public long count() {
        return source.count();
    }

    @Override
    public long length() {
        return network.descriptorLength();
    }

    @Override
    public Tensor rows(long from, long to) {
        int[] images = IntStream.range((int) from, (int) to).toArray();
        try (Scope scope = Scope.open();
                BatchSource.Stream batches = source.open(images, batchSize, new Seed(0))) {
            List<Tensor> parts = new ArrayList<>();
            while (batches.hasNext()) {
                try (Scope step = Scope.open()) {
                    Tensor views = network.describe(batches.next().maps());
                    parts.add(step.promote(FeatureMaps.fuseViews(views, source.views())));
                }
            }
            return scope.promote(torch.cat(new TensorVector(parts.toArray(Tensor[]::new)), 0));
        }
    }
}
