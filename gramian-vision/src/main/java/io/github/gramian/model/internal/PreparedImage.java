package io.github.gramian.model.internal;

import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.internal.DistinctReductions;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An image as one model's backbone takes it: the pixels of all its views, for each of the network's scales; or the reason
 * why there is none. Made by {@link BatchPredictor#prepare}; it takes scales · views · 12 · size² bytes, however large the image
 * was.
 */
public final class PreparedImage {

    private static final Seed NO_SEED = new Seed(0);

    private final List<Preprocessing> preprocessing;
    private final List<float[]> scales;
    private final List<Size> sizes;
    private final Decoded.@Nullable Rejected rejected;
    private final @Nullable RgbImage photograph;

    /** Width and height of the pixels that views were cut out of, before they were resized. */
    public record Size(int width, int height) {

        private static Size of(RgbImage image) {
            return new Size(image.width(), image.height());
        }
    }

    private PreparedImage(
            List<Preprocessing> preprocessing,
            List<float[]> scales,
            List<Size> sizes,
            Decoded.@Nullable Rejected rejected) {
        this(preprocessing, scales, sizes, rejected, null);
    }

    private PreparedImage(
            List<Preprocessing> preprocessing,
            List<float[]> scales,
            List<Size> sizes,
            Decoded.@Nullable Rejected rejected,
            @Nullable RgbImage photograph) {
        this.preprocessing = preprocessing;
        this.scales = scales;
        this.sizes = sizes;
        this.rejected = rejected;
        this.photograph = photograph;
    }

    /** All of a photograph, for a model that looks at whole photographs. */
    public static PreparedImage whole(WholePhoto view, Function<Reduction, Decoded> decode) {
        WholePhoto.Opened opened = view.open(decode);
        return view.resized(opened)
                .map(PreparedImage::whole)
                .orElseGet(() -> new PreparedImage(List.of(), List.of(), List.of(), opened.rejected(), null));
    }

    /** A photograph in the size that the model sees. */
    public static PreparedImage whole(RgbImage resized) {
        return new PreparedImage(List.of(), List.of(), List.of(), null, resized);
    }

    /** Of pixels as they are: nothing is decoded, so nothing is reduced. */
    public static PreparedImage of(List<Preprocessing> scales, ChannelOrder order, RgbImage image) {
        return new PreparedImage(
                scales,
                scales.stream().map(scale -> values(scale, order, image)).toList(),
                scales.stream().map(scale -> Size.of(image)).toList(),
                null);
    }

    /** Decodes once for each distinct reduction, since a smaller scale may take a larger one. */
    public static PreparedImage decoded(
            List<Preprocessing> scales, ChannelOrder order, Function<Reduction, Decoded> decode) {
        List<Decoded> decoded = DistinctReductions.decode(
                scales.stream().map(scale -> (Reduction) scale::reduction).toList(), decode);
        List<float[]> values = new ArrayList<>();
        List<Size> sizes = new ArrayList<>();
        for (int i = 0; i < scales.size(); i++) {
            if (decoded.get(i) instanceof Decoded.Rejected rejected) {
                return new PreparedImage(scales, List.of(), List.of(), rejected);
            }
            RgbImage image = ((Decoded.Picture) decoded.get(i)).image();
            values.add(values(scales.get(i), order, image));
            sizes.add(Size.of(image));
        }
        return new PreparedImage(scales, values, sizes, null);
    }

    /** How the image became the network's input, for each of the scales. */
    public List<Preprocessing> preprocessing() {
        return preprocessing;
    }

    /** The rectangles that the views of one scale show of the resized image, in the order of the views. */
    public List<RgbImage.Window> windows(int place) {
        Size size = sizes.get(place);
        return preprocessing.get(place).windows(size.width(), size.height(), NO_SEED);
    }

    /** Width and height of the image that one of the scales was made of, as it was decoded. */
    public Size size(int place) {
        return sizes.get(place);
    }

    private static float[] values(Preprocessing scale, ChannelOrder order, RgbImage image) {
        return scale.valuesOf(image, order, NO_SEED);
    }

    /** Why there is no image; empty if there is one. */
    public Optional<Decoded.Rejected> rejected() {
        return Optional.ofNullable(rejected);
    }

    /** The resized photograph, for a model that looks at whole photographs. */
    public RgbImage photograph() {
        if (photograph == null) {
            throw new IllegalStateException("the image was prepared for another model");
        }
        return photograph;
    }

    /** The values of all views at one of the network's scales: [views, 3, size, size] in the model's channel order. */
    public float[] scale(int place) {
        if (rejected != null) {
            throw new IllegalStateException(
                    "the image was rejected: " + rejected.sentence() + "; look at rejected() before it is read");
        }
        return scales.get(place);
    }
}
