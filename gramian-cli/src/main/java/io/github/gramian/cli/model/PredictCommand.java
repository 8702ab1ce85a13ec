package io.github.gramian.cli.model;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.internal.HeifAdvice;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.UnseenPixels;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian predict}: predicted classes of images. */
@Command(
        name = "predict",
        description = {
            "Predicts the classes of images.",
            "Prints one line per image, in the given order.",
            "Exits with 1 if a file was not an image that can be read."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian predict runs/first photo.jpg",
            "  gramian predict runs/first new-photos/ --top 3 --format csv > predictions.csv",
            "  gramian predict runs/first new-photos/ --coverage 0.9",
            "  gramian predict runs/first new-photos/ --unknown 0.05",
            "  gramian predict runs/first new-photos/ --sort novelty",
            "  find . -name '*.png' | gramian predict model.gramian - --format jsonl"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class PredictCommand extends PrintingCommand {

    private static final int SOME_REJECTED = 1;

    @Mixin
    private ModelArgument model;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "IMAGE", description = ImageArguments.DESCRIPTION)
    private List<String> images = new ArrayList<>();

    @Option(
            names = "--top",
            defaultValue = "1",
            description = "Number of most probable classes to print (default: ${DEFAULT-VALUE}).")
    private int top;

    @Option(
            names = "--format",
            defaultValue = "text",
            description = "Output format: text, jsonl or csv (default: ${DEFAULT-VALUE}).")
    private PredictionFormat format;

    @Option(
            names = "--coverage",
            paramLabel = "SHARE",
            description =
                    "Also print a set of classes that holds the true class for this share of images, such as 0.9.")
    private @Nullable Double coverage;

    @Option(
            names = "--unknown",
            paramLabel = "LEVEL",
            description = "Print 'unknown' as class if the novelty is below this level, such as 0.05."
                    + " It rejects this share of images that are like the training images.")
    private @Nullable Double unknown;

    @Option(
            names = "--sort",
            defaultValue = "given",
            description = "Order of the images: given, or novelty, the most unusual first (default: ${DEFAULT-VALUE}).")
    private Order order;

    @Option(names = "--quiet", description = "Do not print a summary at the end.")
    private boolean quiet;

    private enum Order {
        GIVEN,
        NOVELTY
    }

    private final List<Prediction> unsorted = new ArrayList<>();
    private long answered;
    private long rejected;
    private long unconverted;
    private boolean looked;

    @Override
    public Integer call() throws IOException {
        if (top < 1) {
            throw new IllegalArgumentException("--top must be at least 1 but is " + top);
        }
        model.requireFirst("predict", images);
        CertaintyRequest asked = new CertaintyRequest(coverage, unknown);
        try (BatchPredictor predictor = model.load()) {
            PredictionFormat.PredictionColumns shown = new PredictionFormat.PredictionColumns(
                    Math.min(top, predictor.classes().size()),
                    asked,
                    predictor.findsDefects() || predictor.reference().novelty().isPresent(),
                    order == Order.NOVELTY,
                    predictor.findsDefects() || predictor.classes().size() == 1,
                    predictor.findsDefects());
            if (predictor.findsDefects() && (coverage != null || unknown != null)) {
                throw new IllegalArgumentException(
                        "a model of good parts decides at the rate of its training; leave out"
                                + " --coverage and --unknown, or train it again with another --alarms");
            }
            if (shown.sorted() && !shown.novelty()) {
                throw new IllegalArgumentException(
                        "the model has no reference of its training images, which --sort novelty needs; train it again");
            }
            asked.notes(predictor.reference()).forEach(line -> note("note: " + line));
            LoaderSettings settings = LoaderSettings.defaults(model.batch());
            long start = System.nanoTime();
            if (!format.header(shown).isEmpty()) {
                stdout().println(format.header(shown));
            }
            new ImageArguments(images, line -> note("note: " + line)).each(files -> {
                noteUnseen(files, predictor);
                predictor.predict(
                        files, settings, shown.sorted() ? unsorted::add : prediction -> print(prediction, shown));
            });
            // Files that are not images have no novelty, and come last.
            unsorted.sort(Comparator.comparingDouble(one -> one.novelty().orElse(2)));
            unsorted.forEach(prediction -> print(prediction, shown));
            summary((System.nanoTime() - start) / 1e9);
        }
        return rejected > 0 ? SOME_REJECTED : 0;
    }

    /** Once, for the first images that come together. */
    private void noteUnseen(List<Path> files, BatchPredictor predictor) {
        if (!quiet && !looked && !predictor.findsDefects()) {
            looked = true;
            Crop crop = model.crop();
            List<Preprocessing> views = predictor.description().preprocessing().stream()
                    .map(view -> crop == null ? view : view.withCrops(List.of(crop)))
                    .toList();
            UnseenPixels.note(files, views)
                    .ifPresent(sentence -> note("note: " + sentence
                            + ". Add --crops five (five times the work), or train again with --set views.test=whole"));
        }
    }

    private void print(Prediction prediction, PredictionFormat.PredictionColumns shown) {
        answered++;
        rejected += prediction.rejection().isPresent() ? 1 : 0;
        unconverted +=
                prediction.rejection().filter(PredictCommand::needsConverter).isPresent() ? 1 : 0;
        PrintWriter out = stdout();
        out.println(format.line(prediction, shown));
        // At once, so that a reader that has gone or a full disk is noticed now and not after hours of work.
        out.flush();
    }

    private static boolean needsConverter(String rejection) {
        return rejection.startsWith(Rejection.NEEDS_CONVERTER.sentence());
    }

    private void note(String line) {
        if (!quiet) {
            PrintWriter err = stderr();
            err.println(line);
            err.flush();
        }
    }

    private void summary(double seconds) {
        note(Text.format(
                "%s, %d rejected, %.1f per second",
                Text.count(answered, "image"), rejected, answered / Math.max(seconds, 1e-9)));
        HeifAdvice.of(unconverted).ifPresent(this::note);
    }
}
