package io.github.gramian.cli.model;

import io.github.gramian.certainty.internal.Drift;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.ClassMix;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian drift}: whether new images still fit the training images. */
@Command(
        name = "drift",
        description = {
            "Tests whether photographs still fit the training images.",
            "The test compares the novelty of the photographs with that of training images.",
            "The p-value is the probability of so much novelty by chance. Below 0.01,",
            "the photographs do not fit.",
            "If MODEL is a run directory, the command also compares how often each class is predicted",
            "with the predictions for the test images."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian drift runs/first photos-of-june/",
            "  gramian drift model.gramian photos-of-june/ --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DriftCommand extends PrintingCommand {

    /** Any would do: the p-value is that of a random test, and must be the same in every run. */
    private static final long SEED = 1;

    @Mixin
    private ModelArgument model;

    @Parameters(index = "1", paramLabel = "PHOTOS", description = "Directory of images, or one image file.")
    private String photos;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Option(names = "--quiet", description = "Do not print progress or notes.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        model.requireFirst("drift", List.of(photos));
        try (BatchPredictor predictor = model.load()) {
            Novelty reference = predictor.reference().requireNovelty();
            List<Path> files = files();
            List<Prediction> all = predictions(predictor, files);
            List<Prediction> accepted =
                    all.stream().filter(one -> one.rejection().isEmpty()).toList();
            if (accepted.isEmpty()) {
                throw new IllegalArgumentException("none of " + Text.count(files.size(), "file") + " in " + photos
                        + " is an image that can be read");
            }
            double[] novelties = accepted.stream()
                    .mapToDouble(one -> one.novelty().orElseThrow())
                    .toArray();
            double pValue = new Drift(reference.calibrationCount()).pValue(novelties, SEED);
            Report report = new Report(
                    novelties,
                    reference.smallest(),
                    all.size() - accepted.size(),
                    known(files, predictor.knownImages()),
                    pValue,
                    Report.shares(accepted),
                    mix(accepted));
            print(json, report::toMap, out -> report.lines().forEach(out::println));
        }
        return 0;
    }

    private List<Path> files() {
        Path path = FileNames.path(photos);
        List<Path> files = Files.isDirectory(path) ? Layouts.images(path, this::note) : List.of(path);
        if (files.isEmpty()) {
            throw new IllegalArgumentException(path + " contains no images; give another directory");
        }
        return files;
    }

    private List<Prediction> predictions(BatchPredictor predictor, List<Path> files) {
        List<Prediction> all = new ArrayList<>();
        try (Progress progress = new Progress("read", "images", files.size(), stderr(), quiet || json)) {
            predictor.predict(files, LoaderSettings.defaults(model.batch()), prediction -> {
                all.add(prediction);
                progress.done(1);
            });
        }
        return all;
    }

    /** Images of the training are at no distance from the reference, so they hide drift. */
    private static int known(List<Path> files, KnownImages known) throws IOException {
        int count = 0;
        for (Path file : files) {
            if (known.count() > 0 && Files.isReadable(file)) {
                count += known.contains(new Sha256().add(file).hex()) ? 1 : 0;
            }
        }
        return count;
    }

    /** Only a run has predictions of other images to compare with. */
    private Optional<ClassMix> mix(List<Prediction> accepted) throws IOException {
        Path directory = model.given();
        if (!Files.exists(new RunFolder(directory).predictions())) {
            return Optional.empty();
        }
        List<Prediction> test = Run.open(directory).predictions();
        return test.isEmpty() || !test.get(0).classes().equals(accepted.get(0).classes())
                ? Optional.empty()
                : Optional.of(ClassMix.of(accepted, test, SEED));
    }

    private void note(String line) {
        if (!quiet) {
            stderr().println("note: " + line);
            stderr().flush();
        }
    }

    /**
     * The result of {@code gramian drift}.
     *
     * @param novelties p-values of the images that could be read
     * @param smallest p-value that an image can have with the calibration images of the model
     * @param rejected number of the other files
     * @param known number of images that training has used
     * @param pValue of the hypothesis that the images come from the source of the training images
     * @param shares how often each class is predicted, for those that occur
     * @param mix the same compared with the test images of the run; empty without a run
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not changed
    record Report(
            double[] novelties,
            double smallest,
            int rejected,
            int known,
            double pValue,
            Map<String, Double> shares,
            Optional<ClassMix> mix) {

        /** The p-value below which images do not fit. Tests are often repeated, so it is lower than the usual 0.05. */
        static final double LEVEL = 0.01;

        /** Novelty below which an image is called unusual. */
        private static final double UNUSUAL = 0.05;

        private static final double ROUNDING = 1e-9;

        private static final int MAX_CLASSES = 5;

        /** How often each class is predicted. */
        static Map<String, Double> shares(List<Prediction> predictions) {
            Map<String, Double> shares = new TreeMap<>();
            predictions.forEach(one -> shares.merge(one.label(), 1.0 / predictions.size(), Double::sum));
            return shares;
        }

        boolean fits() {
            return pValue >= LEVEL;
        }

        private double unusual() {
            return (double) Arrays.stream(novelties)
                            .filter(one -> one < UNUSUAL)
                            .count()
                    / novelties.length;
        }

        String sentence() {
            boolean one = novelties.length == 1;
            String images = one ? "The image" : "The " + novelties.length + " images";
            String fit = fits() ? one ? "fits" : "fit" : one ? "does not fit" : "do not fit";
            return images + " " + fit + Text.format(" the training images (p = %.2g).", pValue);
        }

        /** The p-values are multiples of the smallest one, and equally frequent: the share of those below the level. */
        private double expected() {
            return smallest * (Math.ceil(UNUSUAL / smallest - ROUNDING) - 1);
        }

        /** With few calibration images, no image can have such a low novelty. */
        private String unusualLine() {
            return smallest < UNUSUAL
                    ? Text.format(
                            "unusual images (novelty below %s): %.1f %%, where about %.0f %% are expected",
                            UNUSUAL, 100 * unusual(), 100 * expected())
                    : Text.format(
                            "unusual images (novelty below %s): not counted, since the model has so few calibration images"
                                    + " that no novelty is below %.2f",
                            UNUSUAL, smallest);
        }

        /** For people. */
        List<String> lines() {
            List<String> lines = new ArrayList<>();
            lines.add(sentence());
            lines.add(unusualLine());
            if (mix.isPresent()) {
                lines.addAll(mixLines(mix.get()));
            } else {
                lines.add("classes: not compared, since only a run directory has predictions to compare with");
            }
            if (known > 0) {
                lines.add("warning: the model's training has used " + known
                        + " of these images, which therefore look more usual than new ones");
            }
            if (rejected > 0) {
                lines.add("rejected: " + rejected + (rejected == 1 ? " file" : " files") + " that cannot be read");
            }
            return lines;
        }

        private static List<String> mixLines(ClassMix mix) {
            List<String> lines = new ArrayList<>();
            lines.add(Text.format(
                    mix.pValue() < LEVEL
                            ? "classes: predicted in other shares than for the test images of the run (p = %.2g)"
                            : "classes: predicted in about the same shares as for the test images of the run (p = %.2g)",
                    mix.pValue()));
            if (mix.pValue() < LEVEL) {
                mix.shares().stream()
                        .limit(MAX_CLASSES)
                        .map(one -> Text.format(
                                "  %5.1f %% instead of %5.1f %%  %s",
                                100 * one.share(), 100 * one.reference(), one.label()))
                        .forEach(lines::add);
                lines.add("  Either the photographs show other things than before, or the model makes other mistakes."
                        + " Without labels, Gramian cannot determine which.");
            }
            return lines;
        }

        /** For programs. */
        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("images", novelties.length);
            map.put("rejected", rejected);
            map.put("usedInTraining", known);
            map.put("fits", fits());
            map.put("pValue", pValue);
            map.put("sentence", sentence());
            map.put("unusual", unusual());
            map.put("classes", classes());
            return map;
        }

        private Map<String, Object> classes() {
            Map<String, Object> map = new LinkedHashMap<>();
            if (mix.isEmpty()) {
                map.put("compared", false);
                map.put("shares", shares);
                return map;
            }
            map.put("compared", true);
            map.put("pValue", mix.get().pValue());
            map.put("shares", mix.get().shares());
            return map;
        }
    }
}
