package io.github.gramian.feature.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageLoader.ImageBatch;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Features that are computed from images as they are needed, by a backbone that may be trained. */
public final class LiveFeatures implements BatchSource {

    private final FeatureRequest request;
    private final Backbone backbone;
    private final ImageSource images;
    private final List<Preprocessing> preprocessing;
    private final int[] labels;
    private final Placement placement;

    /** @param preprocessing one for each of the request's scales */
    public LiveFeatures(
            FeatureRequest request,
            Backbone backbone,
            ImageSource images,
            List<Preprocessing> preprocessing,
            int[] labels,
            Placement placement) {
        this.request = request;
        this.backbone = backbone;
        this.images = images;
        this.preprocessing = List.copyOf(preprocessing);
        this.labels = labels.clone();
        this.placement = placement;
    }

    @Override
    public int count() {
        return labels.length;
    }

    @Override
    public int[] labels() {
        return labels.clone();
    }

    @Override
    public int views() {
        return preprocessing.get(0).views();
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        ViewBudget.require(preprocessing, Math.min(batchSize, order.length));
        ImageLoader loader =
                new ImageLoader(images, order, preprocessing, LoaderSettings.defaults(batchSize), seed::child);
        return new Stream() {
            @Override
            public boolean hasNext() {
                return loader.hasNext();
            }

            @Override
            public Batch next() {
                return run(loader.next());
            }

            @Override
            public void close() {
                loader.close();
            }
        };
    }

    private Batch run(ImageBatch batch) {
        if (!batch.rejects().isEmpty()) {
            throw new FeatureException("an image that could be read before cannot be read now: "
                    + batch.rejects().get(0).why().sentence()
                    + "; put the files back as they were and resume, or start a new run");
        }
        List<Tensor> raw = FeatureMaps.raw(
                backbone, request, batch.scales().stream().map(ImageTensors::of).toList());
        List<Tensor> maps = raw.stream()
                .map(features -> FeatureMaps.flat(features.detach(), placement))
                .toList();
        int[] indices = batch.indices().stream().mapToInt(Integer::intValue).toArray();
        return new Made(maps, indices, raw);
    }

    @SuppressWarnings("ArrayRecordComponent") // lives for one step
    private record Made(List<Tensor> maps, int[] images, List<Tensor> raw) implements Batch {

        @Override
        public void backward(List<Tensor> gradients) {
            List<Tensor> ends = new ArrayList<>();
            List<Tensor> starts = new ArrayList<>();
            for (int i = 0; i < raw.size(); i++) {
                if (raw.get(i).requires_grad()) {
                    ends.add(raw.get(i));
                    starts.add(FeatureMaps.unflat(gradients.get(i), raw.get(i)));
                }
            }
            if (!ends.isEmpty()) {
                // One call for all, since branches may share a part of the graph.
                torch.backward(vector(ends), vector(starts), new BoolOptional(false), false, new TensorVector());
            }
        }

        private static TensorVector vector(List<Tensor> tensors) {
            return new TensorVector(tensors.toArray(Tensor[]::new));
        }
    }
}
