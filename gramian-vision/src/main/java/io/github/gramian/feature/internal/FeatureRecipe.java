package io.github.gramian.feature.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Everything besides an image's bytes that determines its features.
 *
 * @param decoder version of the decoder
 * @param preprocessing from pixels to the network's input
 * @param seed of random views; each image draws from the child of its content hash
 * @param backbone name of the network
 * @param weightsHash of its weights
 * @param precision of its activations
 * @param taps where features are taken, and their shapes for one view
 * @param storage element type of the stored features
 */
public record FeatureRecipe(
        String decoder,
        Preprocessing preprocessing,
        Seed seed,
        String backbone,
        String weightsHash,
        Precision precision,
        List<TapShape> taps,
        TensorType storage) {

    /** The bytes that a shard is meant to have: large enough to read fast, small enough to lose to a crash. */
    private static final long SHARD_BYTES = 64L << 20;

    private static final int MAX_IMAGES_PER_SHARD = 4096;

    /** A tap and the shape of its features for one view: [channels, height, width] or [channels]. */
    public record TapShape(String name, List<Long> shape) {
        public TapShape {
            shape = List.copyOf(shape);
        }
    }

    public FeatureRecipe {
        taps = List.copyOf(taps);
        if (storage != TensorType.F32 && storage != TensorType.F16 && storage != TensorType.BF16) {
            throw new IllegalArgumentException("features are stored as F32, F16 or BF16, not as " + storage);
        }
    }

    /** The recipe for a backbone. */
    public static FeatureRecipe of(
            Backbone backbone, List<String> taps, Preprocessing preprocessing, Seed seed, TensorType storage) {
        List<TapShape> shapes = new ArrayList<>();
        backbone.shapes(preprocessing.size(), taps)
                .forEach((tap, shape) ->
                        shapes.add(new TapShape(backbone.tap(tap).name(), shape)));
        return new FeatureRecipe(
                ImageDecoder.VERSION,
                preprocessing,
                preprocessing.isRandom() ? seed : new Seed(0),
                backbone.name(),
                backbone.weightsHash(),
                backbone.placement().precision(),
                shapes,
                storage);
    }

    /** A line for each ingredient: equal for equal recipes and different for different ones, across runs. */
    public String identity() {
        String places = taps.stream()
                .map(tap -> tap.name()
                        + tap.shape().stream().map(String::valueOf).collect(Collectors.joining("x", ":", "")))
                .collect(Collectors.joining(","));
        return String.join(
                "\n",
                "format=gramian-features/1",
                "decoder=" + decoder,
                "preprocessing=" + preprocessing.identity(),
                "seed=" + seed.value(),
                "backbone=" + backbone,
                "weights=" + weightsHash,
                "precision=" + precision,
                "taps=" + places,
                "storage=" + storage,
                "");
    }

    /** A name for the folder that holds its features. */
    public String hash() {
        return Sha256.of(identity()).substring(0, 32);
    }

    public List<String> tapNames() {
        return taps.stream().map(TapShape::name).toList();
    }

    /** [images, views, …] of one tap. */
    long[] shape(TapShape tap, long images) {
        long[] shape = new long[tap.shape().size() + 2];
        shape[0] = images;
        shape[1] = preprocessing.views();
        for (int i = 0; i < tap.shape().size(); i++) {
            shape[i + 2] = tap.shape().get(i);
        }
        return shape;
    }

    public long bytesPerImage() {
        return taps.stream().mapToLong(tap -> storage.bytesOf(shape(tap, 1))).sum();
    }

    public int imagesPerShard() {
        return (int) Math.max(1, Math.min(MAX_IMAGES_PER_SHARD, SHARD_BYTES / bytesPerImage()));
    }
}
