package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds photographs that are tiny, dark, overexposed, blank or much more blurred than the others. */
final class QualityFindings {

    /** Half of what most backbones see: a smaller image is enlarged more than twice. */
    private static final int TINY = 112;

    private static final double DARK = 30;
    private static final double BRIGHT = 240;
    private static final double BLANK = 4;

    /** An image is blurred if its sharpness is below this share of the median: textures differ by nature. */
    private static final double BLURRED = 0.2;

    private QualityFindings() {}

    /** What is wrong, by path. A file that is broken has no finding here. */
    static List<Inspection.Quality> of(Dataset dataset, List<FileReport> reports) {
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
