package io.github.gramian.model.explain.internal;

import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.model.explain.internal.Explanation.Region;
import io.github.gramian.model.internal.PreparedImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the views of an image lie in it, for each of the network's scales. Positions are fractions of the image, so that
 * scales of different sizes share them.
 */
final class ViewLayout {

    private static final int MAX_PICTURE_SIDE = 1024;

    /** The part of the image that a view shows; the view may be its mirror image. */
    record View(Region place, boolean mirrored) {}

    private final PreparedImage image;
    private final List<Preprocessing> scales;
    private final List<List<View>> views;

    ViewLayout(PreparedImage image) {
        this.image = image;
        this.scales = image.preprocessing();
        this.views = IntStream.range(0, scales.size()).mapToObj(this::views).toList();
    }

    private List<View> views(int place) {
        Preprocessing scale = scales.get(place);
        PreparedImage.Size size = image.size(place);
        double width = scale.resize().widthOf(size.width(), size.height());
        double height = scale.resize().heightOf(size.width(), size.height());
        return image.windows(place).stream()
                .map(window -> new View(fraction(window, width, height), window.mirrored()))
                .toList();
    }

    private static Region fraction(Window window, double width, double height) {
        return new Region(window.x() / width, window.y() / height, window.width() / width, window.height() / height);
    }

    /** The views of a scale, in their order. */
    List<View> of(int scale) {
        return views.get(scale);
    }

    /** The smallest rectangle that holds all views of all scales. */
    Region region() {
        List<Region> all = new ArrayList<>();
        views.forEach(some -> some.forEach(view -> all.add(view.place())));
        double left = all.stream().mapToDouble(Region::left).min().orElseThrow();
        double top = all.stream().mapToDouble(Region::top).min().orElseThrow();
        double right =
                all.stream().mapToDouble(one -> one.left() + one.width()).max().orElseThrow();
        double bottom =
                all.stream().mapToDouble(one -> one.top() + one.height()).max().orElseThrow();
        return new Region(left, top, right - left, bottom - top);
    }

    /** The pixels of the region, put together from the views of the finest scale; black where no view is. */
    RgbImage picture() {
        int finest = IntStream.range(0, scales.size())
                .boxed()
                .max(Comparator.comparingInt(place -> scales.get(place).size()))
                .orElseThrow();
        Region region = region();
        Region first = of(finest).get(0).place();
        int size = scales.get(finest).size();
        double across = size * region.width() / first.width();
        double down = size * region.height() / first.height();
        double shrink = Math.min(1, MAX_PICTURE_SIDE / Math.max(across, down));
        int width = (int) Math.max(1, Math.round(across * shrink));
        int height = (int) Math.max(1, Math.round(down * shrink));
        byte[] pixels = new byte[3 * width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                double atX = region.left() + (x + 0.5) / width * region.width();
                double atY = region.top() + (y + 0.5) / height * region.height();
                copyPixel(finest, atX, atY, pixels, 3 * (y * width + x));
            }
        }
        return new RgbImage(width, height, pixels);
    }

    private void copyPixel(int scale, double x, double y, byte[] to, int offset) {
        int size = scales.get(scale).size();
        List<View> all = of(scale);
        for (int v = 0; v < all.size(); v++) {
            Region place = all.get(v).place();
            double acrossShare = (x - place.left()) / place.width();
            double downShare = (y - place.top()) / place.height();
            if (acrossShare >= 0 && acrossShare < 1 && downShare >= 0 && downShare < 1) {
                int column = (int) (size * (all.get(v).mirrored() ? 1 - acrossShare : acrossShare));
                int row = (int) (size * downShare);
                int from = 3 * ((v * size + row) * size + Math.min(size - 1, column));
                writeRgb(image.scale(scale), from, scales.get(scale).normalisation(), to, offset);
                return;
            }
        }
    }

    /** The inverse of {@link Normalisation#write} for one pixel in channels-last order. */
    private static void writeRgb(float[] values, int from, Normalisation normalisation, byte[] to, int offset) {
        for (int c = 0; c < 3; c++) {
            Normalisation.Channel channel = normalisation.channel(c);
            long sample = Math.round((values[from + c] - channel.offset()) / channel.factor());
            to[offset + channel.source()] = (byte) Math.max(0, Math.min(255, sample));
        }
    }
}
