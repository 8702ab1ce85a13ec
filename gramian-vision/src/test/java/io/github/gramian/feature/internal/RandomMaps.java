package io.github.gramian.feature.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Synthetic feature maps: each similar to others of its class. */
public record RandomMaps(int count, int classes, List<Integer> channels, int positions, Placement placement, Seed seed)
        implements BatchSource {

    @Override
    public int[] labels() {
        return IntStream.range(0, count).map(i -> i % classes).toArray();
    }

    @Override
    public int views() {
        return 1;
    }

    private Tensor map(int branch, int image) {
        Seed own = seed.child(branch);
        long[] shape = {1, channels.get(branch), positions};
        Tensor common = own.child("class").child(image % classes).normal(placement, shape);
        return common.add(own.child("image").child(image).normal(placement, shape), scalar(0.7))
                .relu_();
    }

    private Batch batch(int[] images) {
        List<Tensor> maps = new ArrayList<>();
        for (int branch = 0; branch < channels.size(); branch++) {
            int place = branch;
            Tensor[] rows =
                    Arrays.stream(images).mapToObj(image -> map(place, image)).toArray(Tensor[]::new);
            maps.add(torch.cat(new TensorVector(rows), 0));
        }
        return new Drawn(maps, images);
    }

    @SuppressWarnings("ArrayRecordComponent") // lives for one step
    private record Drawn(List<Tensor> maps, int[] images) implements Batch {}

    @Override
    public Stream open(int[] order, int batchSize, Seed unused) {
        return new Stream() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < order.length;
            }

            @Override
            public Batch next() {
                int start = next;
                next = Math.min(order.length, start + batchSize);
                return batch(Arrays.copyOfRange(order, start, next));
            }

            @Override
            public void close() {}
        };
    }
}
