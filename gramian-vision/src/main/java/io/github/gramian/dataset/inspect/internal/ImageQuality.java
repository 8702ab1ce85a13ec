package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.inspect.internal.Inspector.FileReport;
import io.github.gramian.image.codec.RgbImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Measures of a photograph that say whether a model can learn from it.
 *
 * @param shortSide in pixels
 * @param brightness mean grey level, 0 to 255
 * @param contrast standard deviation of the grey levels
 * @param sharpness standard deviation of the differences between a grey level and its four neighbours, over the contrast; a
 *     blurred image has little
 */
record ImageQuality(int shortSide, double brightness, double contrast, double sharpness) {

    /** Blur that survives this reduction also blurs what a network sees. */
    private static final int SIDE = 224;

    /** Grey levels; below it, noise would decide the sharpness. */
    private static final double FLATTEST = 2;

    /** Half of what most backbones see: a smaller image is enlarged more than twice. */
    private static final int TINY = 112;

    private static final double DARK = 30;
    private static final double BRIGHT = 240;
    private static final double BLANK = 4;

    /** An image is blurred if its sharpness is below this share of the median: textures differ by nature. */
    private static final double BLURRED = 0.2;

    static ImageQuality of(RgbImage image) {
        int side = Math.min(SIDE, Math.min(image.width(), image.height()));
        GreyThumbnail grey = GreyThumbnail.of(image, side);
        double contrast = grey.deviation();
        return new ImageQuality(
                Math.min(image.width(), image.height()),
                grey.mean(),
                contrast,
                contrast < FLATTEST || side < 3 ? 0 : edges(grey, side) / contrast);
    }

    private static double edges(GreyThumbnail grey, int side) {
        double squares = 0;
        for (int y = 1; y < side - 1; y++) {
            for (int x = 1; x < side - 1; x++) {
                int at = y * side + x;
                double around = grey.level(at - 1) + grey.level(at + 1) + grey.level(at - side) + grey.level(at + side);
                double edge = grey.level(at) - around / 4;
                squares += edge * edge;
            }
        }
        return Math.sqrt(squares / ((side - 2.0) * (side - 2.0)));
    }

    /** Photographs that are tiny, dark, overexposed, blank or much more blurred than the others, by path. A file that is broken has no finding here. */
    static List<Inspection.Quality> findings(Dataset dataset, List<FileReport> reports) {
        double median = median(reports.stream()
                .flatMap(report -> report.quality().stream())
                .mapToDouble(ImageQuality::sharpness)
                .toArray());
        List<Inspection.Quality> findings = new ArrayList<>();
        for (int i = 0; i < reports.size(); i++) {
            String path = dataset.samples().get(i).path();
            reports.get(i)
                    .quality()
                    .flatMap(quality -> finding(path, quality, median))
                    .ifPresent(findings::add);
        }
        return List.copyOf(findings);
    }

    private static Optional<Inspection.Quality> finding(String path, ImageQuality quality, double median) {
        if (quality.contrast() < BLANK) {
            return found(path, "blank", "its grey levels differ by %.1f of 255", quality.contrast());
        }
        if (quality.brightness() < DARK) {
            return found(path, "dark", "its mean grey level is %.0f of 255", quality.brightness());
        }
        if (quality.brightness() > BRIGHT) {
            return found(path, "overexposed", "its mean grey level is %.0f of 255", quality.brightness());
        }
        if (quality.shortSide() < TINY) {
            return found(path, "tiny", "its shorter side has %.0f pixels", quality.shortSide());
        }
        if (quality.sharpness() < BLURRED * median) {
            return found(path, "blurred", "its sharpness is %.2f of the median", quality.sharpness() / median);
        }
        return Optional.empty();
    }

    private static Optional<Inspection.Quality> found(String path, String problem, String detail, double value) {
        return Optional.of(new Inspection.Quality(path, problem, String.format(Locale.ROOT, detail, value)));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values.length == 0 ? 0 : values[values.length / 2];
    }
}
