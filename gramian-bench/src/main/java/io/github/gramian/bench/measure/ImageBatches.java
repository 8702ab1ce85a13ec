package io.github.gramian.bench.measure;

import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.function.Consumer;
import org.bytedeco.pytorch.Tensor;

/** Images from their files to batches that a network can read, loaded as predictions and trainings load them. */
public final class ImageBatches {

    private ImageBatches() {}

    /**
     * Gives every batch to some work, each in its own scope.
     *
     * @param order of the images, by their number in the source
     * @param batch images at once
     * @param seed of what is random about the views
     * @param work takes [batch, 3, size, size]
     */
    public static void forEach(
            ImageSource source, int[] order, Preprocessing views, int batch, Seed seed, Consumer<Tensor> work) {
        try (ImageLoader loader = new ImageLoader(source, order, views, LoaderSettings.defaults(batch), seed)) {
            while (loader.hasNext()) {
                try (Scope scope = Scope.open()) {
                    work.accept(ImageTensors.of(loader.next().pixels()));
                }
            }
        }
    }
}
