package io.github.gramian.cli.model;

import io.github.gramian.cli.common.JsonOutput;
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
import io.github.gramian.model.novelty.internal.DriftTest;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
            NoveltyReference reference = predictor.reference().requireNovelty();
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
            double pValue = new DriftTest(reference.calibration().length).pValue(novelties, SEED);
            print(new DriftReport(
                    novelties,
                    all.size() - accepted.size(),
                    known(files, predictor.knownImages()),
                    pValue,
                    DriftReport.shares(accepted),
                    mix(accepted)));
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

    private void print(DriftReport report) {
        if (json) {
            JsonOutput.print(stdout(), report.toMap());
        } else {
            report.lines().forEach(stdout()::println);
            stdout().flush();
        }
    }
}
