package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.inspect.internal.Inspector.FileReport;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.ContentHash.Twins;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.SkippedFiles;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.internal.HeifAdvice;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.io.internal.Text;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;

/** Opens every file of a dataset once and reports what it found; a broken file is a finding, never a failure. */
public final class Inspector {

    private static final String NO_SPLIT = "none";

    private final ImageDecoder decoder;
    private final int threads;

    /** Decodes on this many threads; each holds one image at a time. */
    public Inspector(ImageDecoder decoder, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1 but is " + threads);
        }
        this.decoder = decoder;
        this.threads = threads;
    }

    /** Inspects all files; progress is reported from several threads. */
    public Inspection inspect(Dataset dataset, ContentHash.Progress progress) {
        List<FileReport> reports = readAll(dataset, progress);
        Map<String, FileReport> reportOfId = new HashMap<>();
        for (int i = 0; i < reports.size(); i++) {
            reportOfId.put(dataset.samples().get(i).id(), reports.get(i));
        }
        Map<String, Split> splitOfId = EqualFiles.splits(dataset);
        List<Inspection.ClassCount> classes = classCounts(dataset);
        List<Optional<String>> sums = reports.stream().map(FileReport::sha256).toList();
        List<Optional<String>> readable = readableSums(reports);
        List<Inspection.ExactGroup> exact = EqualFiles.groups(dataset, readable);
        List<String> warnings = new ArrayList<>(warnings(dataset, classes, exact));
        HeifAdvice.of(unconverted(reports)).ifPresent(warnings::add);
        NearDuplicates duplicates = new NearDuplicates(dataset, decoder);
        return new Inspection(
                dataset,
                classes,
                ContentHash.of(DividedDataset.of(dataset).listing(), sums),
                range(reports, FileReport::width),
                range(reports, FileReport::height),
                broken(dataset, reports, splitOfId),
                exact,
                Twins.of(dataset, readable),
                duplicates.find(reportOfId, threads),
                duplicates.findAll(reportOfId, threads),
                ImageQuality.findings(dataset, reports),
                List.copyOf(warnings));
    }

    /** Files that an installed converter could read. */
    private static long unconverted(List<FileReport> reports) {
        return reports.stream()
                .flatMap(report -> report.broken().stream())
                .filter(why -> why.reason() == Rejection.NEEDS_CONVERTER)
                .count();
    }

    /** Equal broken files, such as empty ones, are reported as broken, not as twins. */
    private static List<Optional<String>> readableSums(List<FileReport> reports) {
        return reports.stream()
                .map(report -> report.broken().isEmpty() ? report.sha256() : Optional.<String>empty())
                .toList();
    }

    private List<FileReport> readAll(Dataset dataset, ContentHash.Progress progress) {
        AtomicInteger done = new AtomicInteger();
        int total = dataset.samples().size();
        return ParallelWork.map(dataset.samples(), threads, sample -> {
            FileReport report = FileReport.of(dataset.file(sample), decoder);
            progress.done(done.incrementAndGet(), total);
            return report;
        });
    }

    private static Optional<Inspection.Range> range(List<FileReport> reports, ToIntFunction<FileReport> length) {
        return Inspection.Range.of(reports.stream()
                .filter(report -> report.broken().isEmpty())
                .mapToInt(length)
                .toArray());
    }

    /** Images of every class in every split; opens no file. */
    public static List<Inspection.ClassCount> classCounts(Dataset dataset) {
        List<Inspection.ClassCount> counts = new ArrayList<>();
        for (String name : dataset.classes()) {
            Map<String, Integer> empty = new LinkedHashMap<>();
            for (Split split : Split.values()) {
                empty.put(split.key(), 0);
            }
            counts.add(new Inspection.ClassCount(name, empty));
        }
        for (Split split : Split.values()) {
            for (Sample sample : dataset.samples(split)) {
                counts.get(sample.label()).counts().merge(split.key(), 1, Integer::sum);
            }
        }
        return List.copyOf(counts);
    }

    private static List<Inspection.Broken> broken(
            Dataset dataset, List<FileReport> reports, Map<String, Split> splitOfId) {
        List<Inspection.Broken> broken = new ArrayList<>();
        for (int i = 0; i < reports.size(); i++) {
            Sample sample = dataset.samples().get(i);
            Split split = splitOfId.get(sample.id());
            reports.get(i)
                    .broken()
                    .ifPresent(why -> broken.add(new Inspection.Broken(
                            sample.path(),
                            split == null ? NO_SPLIT : split.key(),
                            why.reason().name(),
                            why.sentence())));
        }
        return List.copyOf(broken);
    }

    /** Warnings for people; opens no file. */
    public static List<String> warnings(
            Dataset dataset, List<Inspection.ClassCount> classes, List<Inspection.ExactGroup> exact) {
        List<String> warnings = new ArrayList<>();
        Layouts.incomplete(dataset).ifPresent(warnings::add);
        Layouts.oneClass(dataset).ifPresent(warnings::add);
        Layouts.withoutClass(dataset).ifPresent(warnings::add);
        for (Inspection.ClassCount count : classes) {
            if (count.counts().getOrDefault(Split.TRAIN.key(), 0) == 0) {
                warnings.add("class " + count.name() + " has no training image");
            }
        }
        long contradictions =
                exact.stream().filter(Inspection.ExactGroup::contradicts).count();
        if (contradictions > 0) {
            warnings.add(
                    TrainingWarnings.number(contradictions, "group of equal files has", "groups of equal files have")
                            + " different labels");
        }
        warnings.addAll(TrainingWarnings.ofGroups(dataset));
        SkippedFiles.links(dataset.root(), DividedDataset.of(dataset).listing().skipped())
                .ifPresent(warnings::add);
        SkippedFiles.formats(DividedDataset.of(dataset).listing().skipped()).ifPresent(warnings::add);
        int skipped = DividedDataset.of(dataset).listing().skipped().size();
        if (skipped > 0) {
            warnings.add("ignored " + Text.count(skipped, "file") + " among the images, such as "
                    + DividedDataset.of(dataset).listing().skipped().get(0) + " (not the name of an image)");
        }
        return List.copyOf(warnings);
    }

    /**
     * What was found out about one file.
     *
     * @param sha256 of its bytes; empty if it cannot be read
     * @param width in pixels, 0 if it is broken
     * @param height in pixels, 0 if it is broken
     * @param hash what it looks like; empty if it is broken or blank
     * @param quality measures of the picture; empty if it is broken
     * @param broken why it gives no image; empty if it does
     */
    record FileReport(
            Optional<String> sha256,
            int width,
            int height,
            OptionalLong hash,
            Optional<ImageQuality> quality,
            Optional<Decoded.Rejected> broken) {

        static FileReport of(Path file, ImageDecoder decoder) {
            Optional<String> sha256 = ContentHash.ofFile(file);
            Decoded decoded = decoder.decode(file);
            if (decoded instanceof Decoded.Picture picture) {
                return new FileReport(
                        sha256,
                        picture.image().width(),
                        picture.image().height(),
                        PerceptualHash.of(picture.image()),
                        Optional.of(ImageQuality.of(picture.image())),
                        Optional.empty());
            }
            return new FileReport(
                    sha256, 0, 0, OptionalLong.empty(), Optional.empty(), Optional.of((Decoded.Rejected) decoded));
        }
    }

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
                    double around =
                            grey.level(at - 1) + grey.level(at + 1) + grey.level(at - side) + grey.level(at + side);
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
}
