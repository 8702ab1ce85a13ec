package io.github.gramian.lab;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.cli.Below;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.io.internal.Text;
import io.github.gramian.label.internal.DatasetFeatures;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How well models recognise unknown images. */
@Command(
        name = "unknown",
        description = {
            "Measures how well models recognise unknown images.",
            "Trains a model per draw without some classes, and prints how often test images of known classes are"
                    + " unknown at a level. Also prints how well the novelty separates them from images of the classes"
                    + " left out and of other directories.",
            "Compares the novelty with the maximum probability, the energy, and two distances on average-pooled"
                    + " features."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench unknown --images cub20/ --backbone resnet50.safetensors --cache features/ --leave-out 5"
                    + " --out runs/unknown",
            "  gramian bench unknown --images kth/ --backbone resnet50.safetensors --cache features/ --outside"
                    + " dtd/images --out runs/unknown --json"
        })
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchUnknownCommand extends LabCommand.OnFeatures {

    /** Levels at which false alarms are counted. */
    private static final List<Double> LEVELS = List.of(0.01, 0.05, 0.1);

    /** Unknown images have none of the model's classes. Only scores are read, which do not depend on labels. */
    private static final int NO_LABEL = 0;

    private static final String NOVELTY = "novelty";

    /** Its order without ties: few calibration images give few p-values, and the area counts a tie as half. */
    private static final String SCORE = "score of the novelty";

    private static final String LEFT_OUT = "left out";
    private static final String OUTSIDE = "outside";

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--out", required = true, description = "Directory for the runs.")
    private Path out;

    @Option(names = "--outside", description = "Directory of images that show none of the classes; may be repeated.")
    private List<Path> outside = new ArrayList<>();

    @Option(
            names = "--outside-images",
            defaultValue = "250",
            description = "Number of images to draw from each of these directories (default: ${DEFAULT-VALUE}).")
    private int outsideImages;

    @Option(
            names = "--leave-out",
            defaultValue = "0",
            description = "Number of classes to leave out in each draw (default: ${DEFAULT-VALUE}).")
    private int leaveOut;

    @Option(names = "--draws", defaultValue = "3", description = "Number of draws (default: ${DEFAULT-VALUE}).")
    private int draws;

    /**
     * The findings of one draw.
     *
     * @param draw number of the draw
     * @param leftOut names of the classes that the model was not trained with
     * @param training number of training and validation images
     * @param known number of test images of known classes
     * @param unknown number of test images of the classes left out
     * @param outside number of images of the other folder
     * @param falseAlarms share of known test images whose novelty is below each level
     * @param leftOutFound the same of images of the classes left out; empty without them
     * @param outsideFound the same of images of the other folder; empty without them
     * @param leftOutAuroc area under the ROC curve by method, known images against images of classes left out
     * @param outsideAuroc the same against images of the other folder
     */
    record Draw(
            int draw,
            List<String> leftOut,
            int training,
            int known,
            int unknown,
            int outside,
            Map<String, Double> falseAlarms,
            Map<String, Double> leftOutFound,
            Map<String, Double> outsideFound,
            Map<String, Double> leftOutAuroc,
            Map<String, Double> outsideAuroc) {}

    /** Average-pooled features of the training images, with their classes. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    private record Baseline(float[][] averages, int[] labels) {}

    @Override
    public Integer call() throws IOException {
        Recipe recipe = options.recipe();
        if (recipe.stage2().runs() || draws < 1 || leaveOut < 0 || outsideImages < 1) {
            throw new IllegalArgumentException(
                    "the backbone must be frozen, --draws and --outside-images at least 1 and --leave-out at least 0");
        }
        List<Path> others = new ArrayList<>();
        for (Path folder : outside) {
            others.addAll(drawn(folder));
        }
        List<Draw> found = new ArrayList<>();
        try (TrainingProgress progress = progress()) {
            for (int draw = 1; draw <= draws; draw++) {
                found.add(draw(recipe, progress, others, draw));
            }
        }
        report(found, writer -> print(writer, found));
        return 0;
    }

    private List<Path> drawn(Path folder) {
        List<Path> images = new ArrayList<>(Layouts.images(folder, note -> stderr().println(note)));
        if (images.isEmpty()) {
            throw new IllegalArgumentException(folder + " contains no images; name a directory with images");
        }
        Collections.shuffle(images, new Random(1));
        return images.subList(0, Math.min(outsideImages, images.size()));
    }

    /** Trains a model without some classes, and measures. */
    private Draw draw(Recipe recipe, TrainingListener listener, List<Path> others, int draw) throws IOException {
        Dataset dataset = recipe.data().open(new Seed(draw));
        List<String> classes = dataset.classes();
        if (leaveOut >= classes.size()) {
            throw new IllegalArgumentException(
                    "--leave-out must be below the number of classes, " + classes.size() + ", but is " + leaveOut);
        }
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, classes.size()).boxed().toList());
        Collections.shuffle(order, new Random(draw));
        List<Integer> leftOut = order.subList(0, leaveOut);
        Map<Split, Map<Path, String>> training = new EnumMap<>(Split.class);
        Map<Path, String> kept = new HashMap<>();
        Map<Path, String> unknown = new LinkedHashMap<>();
        for (Split split : Split.values()) {
            Map<Path, String> files = new HashMap<>();
            for (Sample sample : dataset.samples(split)) {
                Path file = dataset.file(sample).toAbsolutePath();
                if (!leftOut.contains(sample.label())) {
                    files.put(file, classes.get(sample.label()));
                } else if (split == Split.TEST) {
                    unknown.put(file, LEFT_OUT);
                }
            }
            training.put(split, files);
            kept.putAll(files);
        }
        others.forEach(file -> unknown.put(file.toAbsolutePath(), OUTSIDE));
        Dataset own = Dataset.ofSplits(training);
        Path directory = out.resolve("draw" + draw);
        Training.of(recipe)
                .on(own)
                .with(TrainingOptions.defaults(cache()).withListener(listener).withoutReportData())
                .into(directory);
        Dataset all = Dataset.ofSplits(new EnumMap<>(Map.of(Split.TRAIN, kept, Split.TEST, unknown)));
        List<String> names = leftOut.stream().map(classes::get).sorted().toList();
        try (DatasetFeatures features = DatasetFeatures.of(all, recipe, cache(), listener);
                StoredModel model = StoredModel.open(new RunFolder(directory).model());
                Network network = model.network(recipe.backbone().head())) {
            Novelty reference = model.reference()
                    .novelty()
                    .orElseThrow(() -> new ModelException("the model has no reference; train it with more images"));
            return measured(own, all, features, network, reference, names, draw);
        }
    }

    private static Draw measured(
            Dataset own,
            Dataset all,
            DatasetFeatures features,
            Network network,
            Novelty reference,
            List<String> leftOut,
            int draw) {
        Map<Path, Sample> byFile = new HashMap<>();
        Map<String, List<Sample>> groups = new HashMap<>();
        for (Sample sample : features.readable()) {
            byFile.put(all.file(sample), sample);
            groups.computeIfAbsent(all.classes().get(sample.label()), name -> new ArrayList<>())
                    .add(sample);
        }
        List<Sample> training = new ArrayList<>();
        List<Integer> labels = new ArrayList<>();
        List<Sample> known = new ArrayList<>();
        for (Split split : Split.values()) {
            for (Sample sample : own.samples(split)) {
                Sample same = byFile.get(own.file(sample));
                if (same != null && split == Split.TEST) {
                    known.add(same);
                } else if (same != null) {
                    training.add(same);
                    labels.add(sample.label());
                }
            }
        }
        Baseline baseline = new Baseline(
                averages(features.source(training)),
                labels.stream().mapToInt(Integer::intValue).toArray());
        List<Sample> left = groups.getOrDefault(LEFT_OUT, List.of());
        List<Sample> outside = groups.getOrDefault(OUTSIDE, List.of());
        Map<String, double[]> ofKnown = scores(network, reference, features, known, baseline);
        Map<String, double[]> ofLeft = scores(network, reference, features, left, baseline);
        Map<String, double[]> ofOutside = scores(network, reference, features, outside, baseline);
        return new Draw(
                draw,
                leftOut,
                training.size(),
                known.size(),
                left.size(),
                outside.size(),
                below(ofKnown),
                below(ofLeft),
                below(ofOutside),
                aurocs(ofKnown, ofLeft),
                aurocs(ofKnown, ofOutside));
    }

    /** Scores of images by method; a larger one means more unlike the training images. */
    private static Map<String, double[]> scores(
            Network network, Novelty reference, DatasetFeatures features, List<Sample> samples, Baseline baseline) {
        Map<String, double[]> scores = new LinkedHashMap<>();
        if (samples.isEmpty()) {
            return scores;
        }
        BatchSource source = features.source(samples.stream()
                .map(sample -> new Sample(sample.id(), sample.path(), NO_LABEL))
                .toList());
        List<Double> novelties = new ArrayList<>();
        List<Double> ranked = new ArrayList<>();
        List<Double> energies = new ArrayList<>();
        NetworkPredictions predictions =
                NetworkPredictions.of(network, source, source.inOrder(), NetworkPredictions.BATCH, views -> {
                    for (float[] row : HostCopy.rows(FeatureMaps.fuseViews(views, source.views()))) {
                        novelties.add(-reference.pValue(row));
                        ranked.add((double) reference.score(row));
                    }
                    double scale = network.config().logitScale();
                    float[] free = HostCopy.floats(FeatureMaps.fuseViews(
                            network.classify(views)
                                    .mul(scalar(scale))
                                    .logsumexp(1)
                                    .unsqueeze(1),
                            source.views()));
                    for (float value : free) {
                        energies.add(-(double) value);
                    }
                });
        double[] uncertain = new double[samples.size()];
        for (int i = 0; i < uncertain.length; i++) {
            float most = 0;
            for (float probability : predictions.probabilities()[i]) {
                most = Math.max(most, probability);
            }
            uncertain[i] = -most;
        }
        float[][] averages = averages(source);
        scores.put(NOVELTY, array(novelties));
        scores.put(SCORE, array(ranked));
        scores.put("maximum probability", uncertain);
        scores.put("energy", array(energies));
        scores.put("nearest neighbours on averages", AverageBaselines.nearest(baseline.averages(), averages));
        scores.put(
                "Mahalanobis on averages",
                AverageBaselines.mahalanobis(baseline.averages(), baseline.labels(), averages));
        return scores;
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The last feature maps averaged over positions and views. */
    private static float[][] averages(BatchSource source) {
        List<float[]> rows = new ArrayList<>();
        try (BatchSource.Stream batches = source.open(source.inOrder(), NetworkPredictions.BATCH, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope scope = Scope.open()) {
                    rows.addAll(List.of(HostCopy.rows(
                            FeatureMaps.fuseViews(batches.next().maps().get(0).mean(2), source.views()))));
                }
            }
        }
        return rows.toArray(float[][]::new);
    }

    /** The shares of images whose novelty is below each level; it is stored with the opposite sign. */
    private static Map<String, Double> below(Map<String, double[]> scores) {
        Map<String, Double> shares = new LinkedHashMap<>();
        double[] negative = scores.getOrDefault(NOVELTY, new double[0]);
        for (double level : negative.length > 0 ? LEVELS : List.<Double>of()) {
            shares.put(
                    Double.toString(level),
                    DoubleStream.of(negative).filter(value -> -value < level).count() / (double) negative.length);
        }
        return shares;
    }

    private static Map<String, Double> aurocs(Map<String, double[]> known, Map<String, double[]> unknown) {
        Map<String, Double> areas = new LinkedHashMap<>();
        unknown.forEach((method, scores) ->
                areas.put(method, AverageBaselines.auroc(Objects.requireNonNull(known.get(method)), scores)));
        return areas;
    }

    private static void print(PrintWriter writer, List<Draw> found) {
        Draw first = found.get(0);
        writer.println(Text.format(
                "%d draws of %d training, %d test, %d left-out and %d outside images; ± is the standard deviation over"
                        + " draws",
                found.size(), first.training(), first.known(), first.unknown(), first.outside()));
        lines(writer, "unknown at level %s, test images", found, Draw::falseAlarms);
        lines(writer, "unknown at level %s, classes left out", found, Draw::leftOutFound);
        lines(writer, "unknown at level %s, other directories", found, Draw::outsideFound);
        lines(writer, "AUROC of classes left out, %s", found, Draw::leftOutAuroc);
        lines(writer, "AUROC of other directories, %s", found, Draw::outsideAuroc);
    }

    private static void lines(
            PrintWriter writer, String title, List<Draw> found, Function<Draw, Map<String, Double>> of) {
        for (String key : of.apply(found.get(0)).keySet()) {
            line(
                    writer,
                    Text.format("%-62s", title.replace("%s", key)),
                    found,
                    draw -> of.apply(draw).getOrDefault(key, Double.NaN));
        }
    }

    /** Distances to training images by average-pooled features, as others compute them, and how well such scores separate images. */
    static final class AverageBaselines {

        private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
        private static final int NEIGHBOURS = 5;

        /** Share of the mean variance that is added to each, since there are fewer images than dimensions. */
        private static final double SHRINKAGE = 0.1;

        private AverageBaselines() {}

        /** Mean distance to the five nearest training images, of features of length 1 (Sun et al., 2022). */
        static double[] nearest(float[][] training, float[][] asked) {
            try (Scope scope = Scope.open()) {
                Tensor known = unit(tensor(training));
                Tensor cosines = unit(tensor(asked)).matmul(known.t());
                T_TensorTensor_T top = cosines.topk(Math.min(NEIGHBOURS, training.length), 1, true, false);
                Scope.share(top.get1());
                Tensor squares = Scope.share(top.get0()).mul(scalar(-2.0)).add(scalar(2.0));
                return doubles(squares.clamp_min(scalar(0.0)).sqrt().mean(1));
            }
        }

        /** Smallest Mahalanobis distance to the mean of a class, with one covariance inside all classes (Lee et al., 2018). */
        static double[] mahalanobis(float[][] training, int[] labels, float[][] asked) {
            try (Scope scope = Scope.open()) {
                Tensor rows = tensor(training);
                long classes = IntStream.of(labels).max().orElseThrow() + 1L;
                Tensor indicators = torch.one_hot(
                                torch.tensor(IntStream.of(labels).asLongStream().toArray()), classes)
                        .to(rows.scalar_type());
                Tensor sizes = indicators.sum(0).unsqueeze(1);
                Tensor means = indicators.t().matmul(rows).div(sizes);
                Tensor centred = rows.sub(indicators.matmul(means));
                Tensor covariance = centred.t().matmul(centred).div(scalar((double) labels.length));
                double level = SHRINKAGE * covariance.trace().item_double() / covariance.size(0);
                covariance.diagonal().add_(scalar(level));
                Tensor inverse = torch.linalg_inv(covariance);
                Tensor points = tensor(asked);
                Tensor own = points.matmul(inverse).mul(points).sum(1).unsqueeze(1);
                Tensor mixed = points.matmul(inverse).matmul(means.t());
                Tensor centres = means.matmul(inverse).mul(means).sum(1);
                return doubles(own.sub(mixed.mul(scalar(2.0))).add(centres).amin(new long[] {1}, false));
            }
        }

        private static Tensor unit(Tensor rows) {
            return rows.div(rows.square().sum(1).sqrt().clamp_min(scalar(1e-30)).unsqueeze(1));
        }

        private static Tensor tensor(float[][] rows) {
            float[] all = new float[rows.length * rows[0].length];
            for (int i = 0; i < rows.length; i++) {
                System.arraycopy(rows[i], 0, all, i * rows[0].length, rows[0].length);
            }
            return DOUBLE.place(torch.tensor(all).reshape(rows.length, rows[0].length));
        }

        private static double[] doubles(Tensor values) {
            float[] found = HostCopy.floats(values);
            return IntStream.range(0, found.length).mapToDouble(i -> found[i]).toArray();
        }

        /** Area under the ROC curve: the probability that an unknown image has a larger score than a known one; of equal scores half. */
        static double auroc(double[] known, double[] unknown) {
            double sum = 0;
            for (double score : unknown) {
                for (double other : known) {
                    sum += other < score ? 1 : other == score ? 0.5 : 0;
                }
            }
            return sum / ((double) known.length * unknown.length);
        }
    }
}
