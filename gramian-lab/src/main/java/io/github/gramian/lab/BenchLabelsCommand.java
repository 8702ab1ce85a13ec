package io.github.gramian.lab;

import io.github.gramian.cli.Below;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.label.internal.DescribedImages;
import io.github.gramian.label.internal.LabelCheck;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How well {@code gramian data check} finds wrong labels. */
@Command(
        name = "labels",
        description = {
            "Measures how well wrong labels are found.",
            "Gives some images wrong labels at random, ranks all images by how suspicious their labels are, and prints"
                    + " the average precision: 1 if all wrong labels come first.",
            "Compares leave-one-out, which 'gramian data check' uses, with five folds of the same classifier."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench labels --images photos/ --backbone resnet50.safetensors --cache features/",
            "  gramian bench labels --images dtd/ --backbone resnet50.safetensors --cache features/ --flip 0.3 --json"
        })
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchLabelsCommand extends LabCommand.OnFeatures {

    private static final int FOLDS = 5;

    @Mixin
    private RecipeFileOptions options;

    @Option(
            names = "--flip",
            defaultValue = "0.1",
            description = "Share of the images that get a wrong label (default: ${DEFAULT-VALUE}).")
    private double share;

    @Option(
            names = "--seeds",
            defaultValue = "5",
            description = "Number of draws of wrong labels (default: ${DEFAULT-VALUE}).")
    private int seeds;

    /**
     * One draw of wrong labels.
     *
     * @param seed of the draw
     * @param flipped number of wrong labels
     * @param leaveOneOut average precision of the ranking by leave-one-out
     * @param folds average precision of the ranking by five folds of the same classifier, which confident learning uses
     * @param seconds that leave-one-out took
     */
    record Draw(long seed, int flipped, double leaveOneOut, double folds, double seconds) {}

    @Override
    public Integer call() throws IOException {
        if (!(share > 0 && share < 1) || seeds < 1) {
            throw new IllegalArgumentException(
                    "--flip must lie between 0 and 1 and --seeds be at least 1, but they are " + share + " and "
                            + seeds);
        }
        Recipe recipe = options.recipe();
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        List<Draw> draws = new ArrayList<>();
        try (TrainingProgress progress = progress();
                DescribedImages described = DescribedImages.of(dataset, recipe, cache(), progress)) {
            for (int seed = 1; seed <= seeds; seed++) {
                draws.add(draw(described, dataset.classes().size(), seed));
            }
        }
        report(draws, out -> {
            out.println(draws.size() + " draws of " + draws.get(0).flipped()
                    + " wrong labels; ± is the standard deviation over draws");
            line(out, "average precision, leave-one-out  ", draws, Draw::leaveOneOut);
            line(out, "average precision, five folds     ", draws, Draw::folds);
            line(out, "seconds for leave-one-out         ", draws, Draw::seconds);
        });
        return 0;
    }

    /** Gives some images wrong labels, ranks all of them, and looks where the wrong ones are. */
    private Draw draw(DescribedImages images, int classes, long seed) {
        SplittableRandom random = new Seed(seed).child("labels").random();
        List<Sample> samples = images.samples();
        int[] labels = samples.stream().mapToInt(Sample::label).toArray();
        Set<Integer> flipped = chosen(samples.size(), (int) Math.round(share * samples.size()), random);
        for (int image : flipped) {
            labels[image] = (labels[image] + 1 + random.nextInt(classes - 1)) % classes;
        }
        long start = System.nanoTime();
        double leaveOneOut = averagePrecision(margins(images, labels, images.groups()), flipped);
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Draw(
                seed,
                flipped.size(),
                leaveOneOut,
                averagePrecision(margins(images, labels, folds(images.groups(), random)), flipped),
                seconds);
    }

    private static double[] margins(DescribedImages images, int[] labels, int[] groups) {
        LeftOutScores scores = LeftOutScores.of(images.rows(), labels, groups, LabelCheck.LAMBDAS);
        return IntStream.range(0, labels.length)
                .mapToDouble(image -> LabelCheck.margin(scores, image, labels[image]))
                .toArray();
    }

    private static Set<Integer> chosen(int images, int count, SplittableRandom random) {
        Set<Integer> chosen = new HashSet<>();
        while (chosen.size() < count) {
            chosen.add(random.nextInt(images));
        }
        return chosen;
    }

    /** Groups stay together. */
    private static int[] folds(int[] groups, SplittableRandom random) {
        int[] foldOfGroup =
                random.ints(groups.length, 0, FOLDS).toArray(); // there are at most as many groups as images
        return IntStream.of(groups).map(group -> foldOfGroup[group]).toArray();
    }

    /** The mean, over the wrong labels, of the share of wrong labels among all that are ranked as high or higher. */
    static double averagePrecision(double[] suspicion, Set<Integer> wrong) {
        List<Integer> ranking =
                new ArrayList<>(IntStream.range(0, suspicion.length).boxed().toList());
        ranking.sort(
                Comparator.comparingDouble((Integer image) -> suspicion[image]).reversed());
        double sum = 0;
        int found = 0;
        for (int place = 0; place < ranking.size(); place++) {
            if (wrong.contains(ranking.get(place))) {
                found++;
                sum += (double) found / (place + 1);
            }
        }
        return wrong.isEmpty() ? Double.NaN : sum / wrong.size();
    }
}
