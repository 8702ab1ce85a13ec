package io.github.gramian.feature.internal;

import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Feature maps from memory, asked for in order.
 *
 * @param views rows of one image, which follow each other
 * @param labels of the images
 */
@SuppressWarnings("ArrayRecordComponent") // of a test
public record MapsInMemory(int views, Tensor all, int[] labels) implements BatchSource {

    /** All of one class. */
    public MapsInMemory(int views, Tensor all) {
        this(views, all, new int[(int) all.size(0) / views]);
    }

    @Override
    public int count() {
        return (int) all.size(0) / views;
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        return new Stream() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < order.length;
            }

            @Override
            public Batch next() {
                int[] images = Arrays.copyOfRange(order, next, Math.min(order.length, next + batchSize));
                next += images.length;
                return new Rows(List.of(all.narrow(0, (long) images[0] * views, (long) images.length * views)), images);
            }

            @Override
            public void close() {}
        };
    }

    @SuppressWarnings("ArrayRecordComponent") // lives for one step
    private record Rows(List<Tensor> maps, int[] images) implements Batch {}
}
