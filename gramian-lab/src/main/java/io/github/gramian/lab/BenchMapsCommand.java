package io.github.gramian.lab;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.cli.Below;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dense.internal.ClassMap;
import io.github.gramian.dense.internal.ClassMapFit;
import io.github.gramian.dense.internal.GroupedRidge;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.io.internal.Text;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.linalg.internal.PrincipalComponents;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * How well the classes of the parts of a photograph are found, on mosaics of test photographs. All methods describe the same
 * windows of the same feature maps, and all classifiers are fitted to the same windows of training photographs.
 */
@Command(
        name = "maps",
        description = {
            "Measures maps of classes on mosaics of test photographs.",
            "Compares descriptions of the windows around each cell: averages, kernel, bilinear, covariance and root"
                    + " matrices with a linear classifier, and averages with the nearest neighbour."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Example:", "  gramian bench maps --images kth/ --backbone resnet50.safetensors --mosaics 100"})
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchMapsCommand extends LabCommand {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Upper ends of the ranges of distances from a border, in pixels. */
    private static final double[] RANGES = {8, 16, 32, 64, Double.POSITIVE_INFINITY};

    private static final int MAX_MATERIALS = 5;
    private static final int GRID = 3;
    private static final String PRODUCT = "class map";

    @Option(names = "--images", required = true, description = "Directory of the dataset.")
    private Path images;

    @Option(names = "--backbone", required = true, description = "Weights of the backbone.")
    private Path weights;

    @Option(names = "--tap", defaultValue = "res4f", description = "Layer of the features (default: ${DEFAULT-VALUE}).")
    private String tap;

    @Option(
            names = "--window",
            defaultValue = "5",
            description = "Side of a window in cells, an odd number (default: ${DEFAULT-VALUE}).")
    private int window;

    @Option(
            names = "--step",
            defaultValue = "1",
            description = "Distance of windows in cells (default: ${DEFAULT-VALUE}).")
    private int step;

    @Option(
            names = "--short-side",
            defaultValue = "224",
            description = "Shorter side of all photographs in pixels (default: ${DEFAULT-VALUE}).")
    private int shortSide;

    @Option(
            names = "--training",
            defaultValue = "20",
            description = "Number of training photographs per class (default: ${DEFAULT-VALUE}).")
    private int training;

    @Option(names = "--mosaics", defaultValue = "100", description = "Number of mosaics (default: ${DEFAULT-VALUE}).")
    private int mosaics;

    @Option(
            names = "--side",
            defaultValue = "384",
            description = "Side of a mosaic in pixels (default: ${DEFAULT-VALUE}).")
    private int side;

    @Option(
            names = "--channels",
            defaultValue = "48",
            description = "Number of principal components for matrices (default: ${DEFAULT-VALUE}).")
    private int channels;

    /**
     * The findings for one method, means over mosaics.
     *
     * @param accuracy share of pixels with the right class
     * @param bySize the same for small, medium and large regions
     * @param byDistance the same by the distance from a border
     * @param iou mean intersection over union of the classes of a mosaic
     * @param areaError half the sum of the errors of all classes' shares of the area
     */
    record Result(double accuracy, List<Double> bySize, List<Double> byDistance, double iou, double areaError) {}

    /** From windows [windows, channels, cells] to descriptions [windows, length]. */
    private record Method(String name, boolean ofAllChannels, UnaryOperator<Tensor> describe) {}

    /** Finds the classes of descriptions: [windows, length] → [windows]. */
    private interface Classifier {
        Tensor classes(Tensor descriptions);
    }

    @Override
    public Integer call() throws IOException {
        if (training < 2 || mosaics < 1 || channels < 2 || side < 64 || step < 1 || window < 1 || window % 2 == 0) {
            throw new IllegalArgumentException(
                    "--training and --channels must be at least 2, --mosaics and --step at least 1,"
                            + " --side at least 64 and --window an odd number");
        }
        Dataset dataset = Recipe.standard().on(images, weights).data().open(new Seed(1));
        try (Backbone backbone = WeightsFile.load(weights, BackboneOptions.frozen(Precision.FLOAT));
                Scope scope = Scope.open()) {
            Map<String, Result> results = measured(dataset, backbone);
            report(results, out -> print(out, results));
        }
        return 0;
    }

    private Map<String, Result> measured(Dataset dataset, Backbone backbone) {
        List<Sample> known = some(dataset, Split.TRAIN);
        int[] labels = known.stream().mapToInt(Sample::label).toArray();
        int classes = dataset.classes().size();
        List<Tensor> maps = new ArrayList<>();
        for (Sample sample : known) {
            try (Scope inner = Scope.open()) {
                maps.add(inner.promote(features(backbone, photograph(dataset.file(sample)))));
            }
        }
        ClassMap product = ClassMapFit.fit(
                tap,
                window,
                maps::get,
                labels,
                IntStream.range(0, labels.length).toArray(),
                classes);
        Tensor leading = components(maps);
        List<Method> methods = methods();
        Map<String, Classifier> classifiers = classifiers(methods, maps, leading, labels, classes);
        Map<String, Tally> tallies = new LinkedHashMap<>();
        tallies.put(PRODUCT, new Tally());
        classifiers.keySet().forEach(name -> tallies.put(name, new Tally()));
        List<Sample> others = dataset.samples(Split.TEST);
        Random random = new Random(1);
        for (int i = 0; i < mosaics; i++) {
            int size = i % Mosaic.sizes();
            Mosaic mosaic =
                    mosaic(dataset, others, size, new Seed(1).child("mosaic").child(i), random);
            try (Scope inner = Scope.open()) {
                Tensor features = features(backbone, mosaic.picture());
                Map<String, int[]> cells = cells(features, leading, methods, classifiers);
                cells.put(PRODUCT, product.cells(product.reduce(0, features)).likeliest());
                cells.forEach((name, found) -> Objects.requireNonNull(tallies.get(name))
                        .add(mosaic, side, size, found, (int) features.size(3)));
            }
        }
        Map<String, Result> results = new LinkedHashMap<>();
        tallies.forEach((name, tally) -> results.put(name, tally.result()));
        return results;
    }

    /** Some samples of each class. */
    private List<Sample> some(Dataset dataset, Split split) {
        List<Sample> shuffled = new ArrayList<>(dataset.samples(split));
        Collections.shuffle(shuffled, new Random(1));
        int[] counts = new int[dataset.classes().size()];
        return shuffled.stream()
                .filter(sample -> counts[sample.label()]++ < training)
                .toList();
    }

    private RgbImage photograph(Path file) {
        if (!(ImageDecoder.forLocalFiles().decode(file) instanceof Decoded.Picture picture)) {
            throw new IllegalArgumentException(file + " cannot be decoded; remove it from the dataset");
        }
        RgbImage image = picture.image();
        Resize resize = new Resize.ShortSide(shortSide);
        return new Resampler(Interpolation.BILINEAR)
                .resize(
                        image,
                        resize.widthOf(image.width(), image.height()),
                        resize.heightOf(image.width(), image.height()));
    }

    private Tensor features(Backbone backbone, RgbImage image) {
        float[] values = new float[image.pixels().length];
        backbone.normalisation().write(image, ChannelOrder.FIRST, values, 0);
        Tensor pixels = torch.tensor(values).reshape(1, 3, image.height(), image.width());
        return FLOAT.place(backbone.features(pixels, tap)).contiguous();
    }

    private Mosaic mosaic(Dataset dataset, List<Sample> samples, int size, Seed seed, Random random) {
        Map<Integer, RgbImage> materials = new LinkedHashMap<>();
        int wanted = Math.min(
                2 + random.nextInt(MAX_MATERIALS - 1), dataset.classes().size());
        while (materials.size() < wanted) {
            Sample sample = samples.get(random.nextInt(samples.size()));
            materials.computeIfAbsent(sample.label(), label -> photograph(dataset.file(sample)));
        }
        int[] labels = materials.keySet().stream().mapToInt(Integer::intValue).toArray();
        return Mosaic.of(List.copyOf(materials.values()), labels, side, size, seed);
    }

    /** The principal components of single cells, for matrices: [channels, channels of the layer]. */
    private Tensor components(List<Tensor> maps) {
        try (Scope scope = Scope.open();
                PrincipalComponents components =
                        new PrincipalComponents(maps.get(0).size(1))) {
            maps.forEach(one -> components.add(one.flatten(2, 3)));
            return scope.promote(
                    FLOAT.place(components.leading(channels).components()).t());
        }
    }

    private List<Method> methods() {
        AggregationConfig covariance = AggregationConfig.of(new KernelConfig.Covariance());
        return List.of(
                new Method("average", true, windows -> unit(windows.mean(2))),
                new Method("average of components", false, windows -> unit(windows.mean(2))),
                matrix("kernel", AggregationConfig.standard(Fidelity.EXACT), new RootConfig.None()),
                matrix("bilinear", AggregationConfig.of(new KernelConfig.Linear()), new RootConfig.None()),
                matrix("covariance", covariance, new RootConfig.None()),
                matrix("covariance root", covariance, new RootConfig.Iterated(7)));
    }

    /** As a model with this aggregator describes a whole photograph. */
    private Method matrix(String name, AggregationConfig aggregation, RootConfig root) {
        BranchConfig branch = new BranchConfig(
                tap,
                shortSide,
                0,
                false,
                new AggregatorConfig.SpdMatrix(aggregation, List.of(), ProductPrecision.EXACT, root),
                DescriptorConfig.standard(Fidelity.EXACT));
        Network network = new Network(new NetworkConfig(List.of(branch), 1), List.of(channels), 2, FLOAT, new Seed(1));
        return new Method(name, false, windows -> network.describe(List.of(windows.contiguous())));
    }

    private static Tensor unit(Tensor rows) {
        return rows.div(rows.square().sum(1).sqrt().clamp_min(scalar(1e-30)).unsqueeze(1));
    }

    private Map<String, Classifier> classifiers(
            List<Method> methods, List<Tensor> maps, Tensor leading, int[] labels, int classes) {
        int count = GRID * GRID;
        int[] ofRow = IntStream.range(0, labels.length * count)
                .map(row -> row / count)
                .toArray();
        int[] labelOfRow = IntStream.of(ofRow).map(i -> labels[i]).toArray();
        Map<String, Classifier> classifiers = new LinkedHashMap<>();
        for (Method method : methods) {
            Tensor[] parts = new Tensor[maps.size()];
            for (int i = 0; i < parts.length; i++) {
                try (Scope inner = Scope.open()) {
                    Tensor all = method.ofAllChannels() ? maps.get(i) : reduced(maps.get(i), leading);
                    parts[i] = inner.promote(method.describe().apply(spread(all)));
                }
            }
            Tensor rows = torch.cat(new TensorVector(parts), 0);
            GroupedRidge.Fit fit = new GroupedRidge(rows, labelOfRow, ofRow, classes).fit();
            Tensor weight = FLOAT.place(fit.weight()).t();
            Tensor bias = FLOAT.place(fit.bias());
            classifiers.put(method.name(), some -> largest(some.matmul(weight).add(bias)));
            if (method.ofAllChannels()) {
                Tensor nearest =
                        torch.tensor(IntStream.of(labelOfRow).asLongStream().toArray());
                classifiers.put("nearest neighbour", some -> nearest.index_select(0, largest(some.matmul(rows.t()))));
            }
        }
        return classifiers;
    }

    private static Tensor largest(Tensor scores) {
        return scores.argmax(new LongOptional(1), false);
    }

    /** [1, channels of the layer, height, width] → [1, channels, height, width]. */
    private static Tensor reduced(Tensor maps, Tensor leading) {
        return leading.matmul(maps.flatten(2, 3)).reshape(1, leading.size(0), maps.size(2), maps.size(3));
    }

    /** Windows on a grid over a photograph: [windows, channels, cells]. */
    private Tensor spread(Tensor maps) {
        long high = Math.min(window, maps.size(2));
        long wide = Math.min(window, maps.size(3));
        Tensor[] windows = new Tensor[GRID * GRID];
        for (int i = 0; i < windows.length; i++) {
            int row = i / GRID;
            long top = Math.round((double) row * (maps.size(2) - high) / (GRID - 1));
            long left = Math.round((double) (i % GRID) * (maps.size(3) - wide) / (GRID - 1));
            windows[i] = maps.narrow(2, top, high).narrow(3, left, wide).flatten(2, 3);
        }
        return torch.cat(new TensorVector(windows), 0);
    }

    /** The class of each cell by each method; each cell takes the nearest window. */
    private Map<String, int[]> cells(
            Tensor features, Tensor leading, List<Method> methods, Map<String, Classifier> classifiers) {
        int height = (int) features.size(2);
        int width = (int) features.size(3);
        int rows = (height - window) / step + 1;
        int columns = (width - window) / step + 1;
        Map<String, int[]> cells = new LinkedHashMap<>();
        Tensor few = reduced(features, leading);
        for (Method method : methods) {
            List<String> names =
                    method.ofAllChannels() ? List.of(method.name(), "nearest neighbour") : List.of(method.name());
            int[][] found = new int[names.size()][rows * columns];
            for (int row = 0; row < rows; row++) {
                try (Scope inner = Scope.open()) {
                    Tensor strip = (method.ofAllChannels() ? features : few).narrow(2, (long) row * step, window);
                    // [1, channels, window, width] → [columns, channels, window, window]
                    Tensor windows = strip.unfold(3, window, step)
                            .squeeze(0)
                            .permute(2, 0, 1, 3)
                            .flatten(2, 3);
                    Tensor described = method.describe().apply(windows);
                    for (int n = 0; n < found.length; n++) {
                        float[] values = HostCopy.floats(Objects.requireNonNull(classifiers.get(names.get(n)))
                                .classes(described));
                        for (int column = 0; column < columns; column++) {
                            found[n][row * columns + column] = (int) values[column];
                        }
                    }
                }
            }
            for (int n = 0; n < found.length; n++) {
                int[] inside = found[n];
                cells.put(
                        names.get(n),
                        IntStream.range(0, height * width)
                                .map(cell ->
                                        inside[clamped(cell / width, rows) * columns + clamped(cell % width, columns)])
                                .toArray());
            }
        }
        return cells;
    }

    private int clamped(int place, int count) {
        return Math.max(0, Math.min(count - 1, (place - window / 2 + step / 2) / step));
    }

    /** Sums over mosaics. */
    private static final class Tally {

        private final double[] right = new double[Mosaic.sizes()];
        private final int[] count = new int[Mosaic.sizes()];
        private final double[] rightAt = new double[RANGES.length];
        private final double[] countAt = new double[RANGES.length];
        private double iou;
        private double areaError;

        void add(Mosaic mosaic, int side, int size, int[] cells, int width) {
            Map<Integer, int[]> ofClass = new LinkedHashMap<>();
            int correct = 0;
            int height = cells.length / width;
            for (int i = 0; i < mosaic.labels().length; i++) {
                int found = cells[i / side * height / side * width + i % side * width / side];
                int label = mosaic.labels()[i];
                int range = 0;
                while (mosaic.distances()[i] > RANGES[range]) {
                    range++;
                }
                boolean equal = found == label;
                correct += equal ? 1 : 0;
                rightAt[range] += equal ? 1 : 0;
                countAt[range]++;
                ofClass.computeIfAbsent(found, name -> new int[3])[0]++;
                int[] own = ofClass.computeIfAbsent(label, name -> new int[3]);
                own[1]++;
                own[2] += equal ? 1 : 0;
            }
            double pixels = mosaic.labels().length;
            right[size] += correct / pixels;
            count[size]++;
            iou += ofClass.values().stream()
                    .filter(counts -> counts[1] > 0)
                    .mapToDouble(counts -> (double) counts[2] / (counts[0] + counts[1] - counts[2]))
                    .average()
                    .orElseThrow();
            areaError += ofClass.values().stream()
                            .mapToDouble(counts -> Math.abs(counts[0] - counts[1]))
                            .sum()
                    / (2 * pixels);
        }

        Result result() {
            double all = Arrays.stream(count).sum();
            return new Result(
                    Arrays.stream(right).sum() / all,
                    IntStream.range(0, right.length)
                            .mapToObj(i -> right[i] / count[i])
                            .toList(),
                    IntStream.range(0, RANGES.length)
                            .mapToObj(i -> rightAt[i] / countAt[i])
                            .toList(),
                    iou / all,
                    areaError / all);
        }
    }

    private static void print(PrintWriter out, Map<String, Result> results) {
        out.println(Text.format(
                "%-22s %8s %6s %6s | %-20s | %s",
                "method",
                "accuracy",
                "IoU",
                "area",
                "small, medium, large",
                "to 8, 16, 32, 64 px from a border, above"));
        results.forEach((name, result) -> out.println(Text.format(
                "%-22s %8.3f %6.3f %6.3f | %-20s | %s",
                name,
                result.accuracy(),
                result.iou(),
                result.areaError(),
                plain(result.bySize()),
                plain(result.byDistance()))));
    }

    private static String plain(List<Double> values) {
        return String.join(
                ", ", values.stream().map(value -> Text.format("%.3f", value)).toList());
    }
}
