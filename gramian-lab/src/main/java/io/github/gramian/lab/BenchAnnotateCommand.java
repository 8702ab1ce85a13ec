package io.github.gramian.lab;

import io.github.gramian.cli.Below;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.io.internal.Text;
import io.github.gramian.label.internal.LabelSession;
import io.github.gramian.label.internal.ReducedDescriptors;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How many labels are saved by labelling the images that a session asks for. */
@Command(
        name = "annotate",
        description = {
            "Measures how many labels are saved by choosing the images.",
            "A simulated annotator labels the training images that a labelling session asks for, or random ones. After"
                    + " each round, the session's classifier predicts the test images. Both use the same descriptors,"
                    + " which are made without labels."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench annotate --images photos/ --backbone resnet50.safetensors --cache features/",
            "  gramian bench annotate --images dtd/ --backbone resnet50.safetensors --cache features/ --round 45 --json"
        })
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchAnnotateCommand extends LabCommand.OnFeatures {

    @Mixin
    private RecipeFileOptions options;

    @Option(
            names = "--per-class",
            defaultValue = "20",
            description =
                    "Number of random labels per class whose accuracy is to be reached (default: ${DEFAULT-VALUE}).")
    private int perClass;

    @Option(
            names = "--round",
            defaultValue = "10",
            description = "Number of labels between two suggestions (default: ${DEFAULT-VALUE}).")
    private int round;

    @Option(
            names = "--seeds",
            defaultValue = "5",
            description = "Number of draws of training images (default: ${DEFAULT-VALUE}).")
    private int seeds;

    @Override
    public Integer call() throws IOException {
        if (perClass < 1 || round < 1 || seeds < 2) {
            throw new IllegalArgumentException("--per-class and --round must be at least 1 and --seeds at least 2, but"
                    + " they are " + perClass + ", " + round + " and " + seeds);
        }
        Recipe recipe = options.recipe();
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        Annotator benchmark;
        try (TrainingProgress progress = progress()) {
            ReducedDescriptors described =
                    ReducedDescriptors.of(dataset, recipe, cache(), progress, (steps, all) -> {});
            benchmark = benchmark(dataset, described);
        }
        int labels = perClass * dataset.classes().size();
        if (labels > benchmark.available()) {
            throw new IllegalArgumentException("a draw has " + benchmark.available() + " training images, but " + labels
                    + " labels are requested; lower --per-class");
        }
        List<Annotator.Point> points = benchmark.run(labels, seeds);
        report(points, out -> print(out, points, labels, dataset.classes().size()));
        return 0;
    }

    private Annotator benchmark(Dataset dataset, ReducedDescriptors described) {
        Set<Sample> test = Set.copyOf(dataset.samples(Split.TEST));
        List<Sample> samples = described.samples();
        boolean[] heldOut = new boolean[samples.size()];
        IntStream.range(0, heldOut.length).forEach(image -> heldOut[image] = test.contains(samples.get(image)));
        int[] truth = samples.stream().mapToInt(Sample::label).toArray();
        return new Annotator(described.values(), truth, heldOut, round);
    }

    private void print(PrintWriter out, List<Annotator.Point> points, int labels, int classes) {
        out.println(seeds + " draws; ± is the standard error over draws");
        out.println("labels   chosen          random          difference");
        for (Annotator.Point point : points) {
            out.println(Text.format(
                    "%-8d %s   %s   %s",
                    point.labels(), percent(point.chosen()), percent(point.random()), percent(point.difference())));
        }
        OptionalInt needed = Annotator.needed(points, labels);
        out.println(
                needed.isEmpty()
                        ? "chosen labels do not reach the accuracy of " + labels + " random labels"
                        : Text.format(
                                "%d chosen labels (%.1f per class) reach the accuracy of %d random labels: %.0f %%"
                                        + " saved",
                                needed.getAsInt(),
                                (double) needed.getAsInt() / classes,
                                labels,
                                100 * (1 - (double) needed.getAsInt() / labels)));
    }

    private static String percent(Spread spread) {
        return Text.format("%5.1f ± %.1f %%", 100 * spread.mean(), 100 * spread.deviation() / Math.sqrt(spread.runs()));
    }

    /**
     * How many labels choosing saves. A simulated annotator knows all labels and gives one after the other: of images that a
     * {@link LabelSession} asks for, or of random ones. After each round, the classifier of the session predicts images that nobody
     * labels. Both start without labels and without classes.
     *
     * @param descriptors of all images
     * @param truth class of each image
     * @param heldOut whether each image is only predicted, and never labelled
     * @param round labels between two suggestions
     */
    @SuppressWarnings("ArrayRecordComponent") // read only
    record Annotator(float[][] descriptors, int[] truth, boolean[] heldOut, int round) {

        /** Each draw leaves out some images, so that the draws of the chosen labels differ as well. */
        private static final double SHARE = 0.9;

        /**
         * The accuracy after some labels, over the draws.
         *
         * @param labels number of labels so far
         * @param chosen accuracy with chosen labels
         * @param random accuracy with random labels
         * @param difference chosen − random, draw by draw
         */
        record Point(int labels, Spread chosen, Spread random, Spread difference) {}

        /**
         * Labels images in several draws.
         *
         * @param labels number of labels at the end
         * @param seeds number of draws
         */
        List<Point> run(int labels, int seeds) {
            List<double[]> chosen = new ArrayList<>();
            List<double[]> random = new ArrayList<>();
            for (int seed = 1; seed <= seeds; seed++) {
                chosen.add(curve(labels, seed, true));
                random.add(curve(labels, seed, false));
            }
            List<Point> points = new ArrayList<>();
            for (int place = 0; place < chosen.get(0).length; place++) {
                int at = place;
                points.add(new Point(
                        Math.min(labels, (place + 1) * round),
                        spread(chosen.stream().map(curve -> curve[at])),
                        spread(random.stream().map(curve -> curve[at])),
                        spread(IntStream.range(0, seeds)
                                .mapToObj(draw -> chosen.get(draw)[at] - random.get(draw)[at]))));
            }
            return points;
        }

        private static Spread spread(Stream<Double> values) {
            return Spread.of(values.toList());
        }

        /** The fewest chosen labels with the accuracy of a number of random ones; empty if there are not enough. */
        static OptionalInt needed(List<Point> points, int random) {
            double goal = points.stream()
                    .filter(point -> point.labels() == random)
                    .findFirst()
                    .orElseThrow()
                    .random()
                    .mean();
            return points.stream()
                    .filter(point -> point.chosen().mean() >= goal)
                    .mapToInt(Point::labels)
                    .findFirst();
        }

        private double[] curve(int labels, long seed, boolean choose) {
            Seed draw = new Seed(seed).child("annotator");
            int[] pool = pool(draw.child("pool").random());
            Set<Integer> open = new HashSet<>();
            IntStream.of(pool).forEach(open::add);
            List<Double> accuracies = new ArrayList<>();
            try (LabelSession session = LabelSession.of(descriptors, draw)) {
                IntStream.rangeClosed(0, IntStream.of(truth).max().orElseThrow())
                        .forEach(label -> session.addClass());
                for (int done = 0; done < labels; done += round) {
                    int count = Math.min(round, labels - done);
                    int from = done;
                    IntPredicate candidates = open::contains;
                    int[] images = choose
                            ? session.next(count, candidates)
                            : IntStream.range(from, from + count)
                                    .map(i -> pool[i])
                                    .toArray();
                    for (int image : images) {
                        session.label(image, truth[image]);
                        open.remove(image);
                    }
                    accuracies.add(accuracy(session));
                }
            }
            return accuracies.stream().mapToDouble(Double::doubleValue).toArray();
        }

        /** Some of the images that may be labelled, in random order. */
        private int[] pool(SplittableRandom random) {
            int[] all = labelled();
            for (int i = all.length - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int moved = all[i];
                all[i] = all[other];
                all[other] = moved;
            }
            return Arrays.copyOf(all, (int) (SHARE * all.length));
        }

        /** The number of labels that each draw can give. */
        int available() {
            return (int) (SHARE * labelled().length);
        }

        private int[] labelled() {
            return IntStream.range(0, truth.length)
                    .filter(image -> !heldOut[image])
                    .toArray();
        }

        private double accuracy(LabelSession session) {
            int right = 0;
            int count = 0;
            for (int image = 0; image < truth.length; image++) {
                if (heldOut[image]) {
                    double[] p = session.probabilities(image);
                    int best = 0;
                    for (int label = 1; label < p.length; label++) {
                        best = p[label] > p[best] ? label : best;
                    }
                    right += best == truth[image] ? 1 : 0;
                    count++;
                }
            }
            return (double) right / count;
        }
    }
}
