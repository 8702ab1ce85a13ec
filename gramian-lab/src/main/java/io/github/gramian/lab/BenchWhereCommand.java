package io.github.gramian.lab;

import io.github.gramian.cli.Below;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.explain.internal.Deletion;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Whether {@code gramian draw --where} marks what decided: positions are replaced by the mean position, and
 * the probability of the predicted class must fall more if the positions that contribute most are deleted than if those nearest
 * to the centre are, or as many at random.
 */
@Command(
        name = "where",
        description = {
            "Measures whether maps mark the positions that decided.",
            "The maps are those of 'gramian draw --where', and the decision is the prediction.",
            "Deletes 10, 20 and 40 %% of the positions of test images.",
            "The most important positions are compared with those nearest to the centre, and with random ones."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  gramian bench where runs/first --images 200"})
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchWhereCommand extends LabCommand {

    private static final List<Double> SHARES = List.of(0.1, 0.2, 0.4);
    private static final int RANDOM_DELETIONS = 5;

    @Parameters(paramLabel = "RUN", description = "Run directory with model, scores and predictions.")
    private Path run;

    @Option(
            names = "--images",
            description = "Number of test images for deletion (default: ${DEFAULT-VALUE}).",
            defaultValue = "200")
    private int images;

    @Override
    public Integer call() throws IOException {
        if (images < 1) {
            throw new IllegalArgumentException("--images must be at least 1 but is " + images);
        }
        RunFolder folder = new RunFolder(run);
        ScoresFile scores = ScoresFile.read(folder.scores());
        Result result;
        try (BatchPredictor predictor = BatchPredictor.load(folder.model())) {
            result = measured(predictor, Path.of(scores.root()), PredictionsFile.read(folder.predictions(), scores));
        }
        report(result, out -> print(out, result));
        return 0;
    }

    private static void print(PrintWriter out, Result result) {
        out.println("probability of the predicted class, mean of " + result.images() + " images");
        out.println(Text.format("  %-9s%8.4f", "complete", result.probability()));
        out.println(Text.format("  %-9s%8s%8s%8s", "deleted", "most", "centre", "random"));
        for (Deleted one : result.deleted()) {
            out.println(Text.format(
                    "  %3.0f %%    %8.4f%8.4f%8.4f", 100 * one.share(), one.most(), one.centre(), one.random()));
        }
    }

    /**
     * Mean probability of the predicted class after deleting a share of the positions.
     *
     * @param share deleted share
     * @param most without the positions that contribute most
     * @param centre without the positions nearest to the centre
     * @param random without as many at random, mean of five draws
     */
    record Deleted(double share, double most, double centre, double random) {}

    /**
     * The findings.
     *
     * @param images number of images for deletion
     * @param probability mean probability of the predicted class
     * @param deleted the same after deletions
     */
    record Result(int images, double probability, List<Deleted> deleted) {}

    /** Runs both on labelled images, whose names are relative to a folder. */
    private Result measured(BatchPredictor predictor, Path root, List<Prediction> labelled) throws ModelException {
        Explainer explainer = Explainer.of(predictor)
                .orElseThrow(() -> new ModelException("the model has no maps, because "
                        + Explainer.obstacle(predictor).orElseThrow()));
        Random random = new Random(1);
        List<Prediction> shuffled = new ArrayList<>(labelled);
        Collections.shuffle(shuffled, random);
        int counted = Math.min(images, shuffled.size());
        double probability = 0;
        double[][] sums = new double[SHARES.size()][2 + RANDOM_DELETIONS];
        for (Prediction one : shuffled.subList(0, counted)) {
            PreparedImage image = predictor.prepare(picture(root, one));
            Explanation explanation = explainer.explain(image);
            probability += explanation.probability() / counted;
            List<List<Integer>> orders = orders(explanation.contributions(), random);
            for (int s = 0; s < sums.length; s++) {
                double share = SHARES.get(s);
                List<boolean[][]> deletions = orders.stream()
                        .map(order -> mask(
                                explanation.contributions(), order.subList(0, (int) Math.round(share * order.size()))))
                        .toList();
                List<Double> after = Deletion.probabilities(explainer, image, explanation.subject(), deletions);
                double[] sum = sums[s];
                IntStream.range(0, sum.length).forEach(i -> sum[i] += after.get(i) / counted);
            }
        }
        List<Deleted> deleted = IntStream.range(0, sums.length)
                .mapToObj(s -> new Deleted(
                        SHARES.get(s),
                        sums[s][0],
                        sums[s][1],
                        Arrays.stream(sums[s]).skip(2).average().orElseThrow()))
                .toList();
        return new Result(counted, probability, deleted);
    }

    /** The cells of a map by falling contribution, by distance from the centre, and several times at random. */
    private static List<List<Integer>> orders(float[][] map, Random random) {
        int columns = map[0].length;
        List<Integer> cells =
                new ArrayList<>(IntStream.range(0, map.length * columns).boxed().toList());
        List<List<Integer>> orders = new ArrayList<>();
        cells.sort(Comparator.comparingDouble(cell -> -map[cell / columns][cell % columns]));
        orders.add(List.copyOf(cells));
        cells.sort(Comparator.comparingDouble(
                cell -> Math.hypot((cell / columns + 0.5) / map.length - 0.5, (cell % columns + 0.5) / columns - 0.5)));
        orders.add(List.copyOf(cells));
        for (int i = 0; i < RANDOM_DELETIONS; i++) {
            Collections.shuffle(cells, random);
            orders.add(List.copyOf(cells));
        }
        return orders;
    }

    private static boolean[][] mask(float[][] map, List<Integer> cells) {
        boolean[][] mask = new boolean[map.length][map[0].length];
        cells.forEach(cell -> mask[cell / map[0].length][cell % map[0].length] = true);
        return mask;
    }

    private static RgbImage picture(Path root, Prediction of) throws ModelException {
        Path file = root.resolve(of.image());
        Decoded decoded = ImageDecoder.forLocalFiles().decode(file, Reduction.NONE);
        if (decoded instanceof Decoded.Rejected rejected) {
            throw new ModelException(file + ": " + rejected.sentence());
        }
        return ((Decoded.Picture) decoded).image();
    }
}
