package io.github.gramian.image.internal;

import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.Text;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * How much of an image a central crop leaves out. An image of a:1 is resized to a short side of s, and the view has v×v
 * pixels, so 1 − v²/(a·s²) of its pixels are never seen: 43 % of a 4:3 photograph for 224 of 256 pixels.
 */
public final class UnseenPixels {

    /** 4:3, the commonest photograph, counts as wide, after rounding to whole pixels as well. */
    static final double WIDE = 1.3;

    /** Headers that are read, spread over all files. */
    private static final int MAX_HEADERS = 100;

    private UnseenPixels() {}

    /**
     * A sentence for images of which at least half are much wider than high, or higher than wide, if views are central
     * squares; otherwise empty. It reads headers only.
     *
     * @param views for each scale of a network
     */
    public static Optional<String> note(List<Path> files, List<Preprocessing> views) {
        if (files.isEmpty() || !views.stream().allMatch(UnseenPixels::isCentral)) {
            return Optional.empty();
        }
        ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);
        int count = Math.min(files.size(), MAX_HEADERS);
        double[] aspects = IntStream.range(0, count)
                .mapToObj(i -> files.get((int) ((long) i * files.size() / count)))
                .flatMapToDouble(file -> decoder.aspect(file).stream())
                .sorted()
                .toArray();
        long wide = DoubleStream.of(aspects).filter(aspect -> aspect >= WIDE).count();
        if (wide == 0 || 2 * wide < aspects.length) {
            return Optional.empty();
        }
        double typical = aspects[aspects.length / 2];
        return Optional.of(String.format(
                Locale.ROOT,
                "%d of %s %s much wider than high (or higher than wide), and the model sees only the square in the"
                        + " middle: %.0f %% of the pixels of a typical image are never seen",
                wide,
                Text.count(aspects.length, "image"),
                wide == 1 ? "is" : "are",
                100
                        * views.stream()
                                .mapToDouble(view -> unseen(view, typical))
                                .min()
                                .orElseThrow()));
    }

    private static boolean isCentral(Preprocessing view) {
        return view.crops().stream().allMatch(crop -> crop instanceof Crop.Centre);
    }

    /** The fraction of an image of these proportions that a central view leaves out. */
    static double unseen(Preprocessing view, double aspect) {
        int width = (int) Math.round(10_000 * aspect);
        double resized =
                (double) view.resize().widthOf(width, 10_000) * view.resize().heightOf(width, 10_000);
        return 1 - (double) view.size() * view.size() / resized;
    }
}
