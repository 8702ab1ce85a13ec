package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;

/** A run's folder with synthetic but plausible content: curves that fall, classes that are confused with neighbours. */
final class FakeRun {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> TEXTURES = List.of(
            "aluminium_foil",
            "brown_bread",
            "corduroy",
            "cork",
            "cotton",
            "cracker",
            "lettuce_leaf",
            "linen",
            "white_bread",
            "wood",
            "wool");

    private final Path folder;
    private final Random random;
    private final List<String> classes;
    private final int imagesPerClass;
    private final List<Map<String, Object>> predictions = new ArrayList<>();
    private final int[][] confusion;

    FakeRun(Path folder, List<String> classes, int imagesPerClass, long seed) {
        this.folder = folder;
        this.classes = classes;
        this.imagesPerClass = imagesPerClass;
        this.random = new Random(seed);
        this.confusion = new int[classes.size()][classes.size()];
        predict();
    }

    /** Names of textures, then of birds that do not exist. */
    static List<String> classNames(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i < TEXTURES.size()
                        ? TEXTURES.get(i)
                        : String.format(Locale.ROOT, "%03d.Long_Tailed_Warbler", i))
                .toList();
    }

    FakeRun writeAll() throws IOException {
        return writeRecipe()
                .writeEvents()
                .writeScores()
                .writePredictions()
                .writeImages()
                .writeReportData();
    }

    FakeRun writeRecipe() throws IOException {
        return write("recipe.yaml", """
                # All settings of the run; those that were not given are defaults.
                data:
                  images: photos/
                  split: random, 40 per class for training
                network:
                  backbone: resnet50.safetensors
                  branches:
                    - {tap: res5c, size: 224, channels: 256, kernel: rbf, transform: [128]}
                train:
                  seed: 7
                  stages:
                    - {epochs: 30, rate: 0.05, through: head}
                    - {epochs: 12, rate: 0.005, through: res5a}
                """);
    }

    FakeRun writeEvents() throws IOException {
        List<Object> events = new ArrayList<>();
        events.add(Map.of("event", "started", "version", "0.1.0"));
        double best = 0;
        for (int i = 0; i < 42; i++) {
            int stage = i < 30 ? 1 : 2;
            double progress = 1 - Math.exp(-(i + 1) / 8.0);
            double validation = Math.min(0.995, 0.1 + 0.82 * progress + 0.02 * random.nextGaussian());
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "epoch");
            event.put("stage", stage);
            event.put("epoch", stage == 1 ? i + 1 : i - 29);
            event.put("step", 40 * (i + 1));
            event.put("rate", stage == 1 ? 0.05 * Math.pow(0.1, Math.floorDiv(i, 12)) : 0.005);
            event.put("trainLoss", 2.4 * (1 - progress) + 0.02 + 0.01 * random.nextDouble());
            event.put("trainAccuracy", Math.min(1, 0.1 + 0.9 * progress));
            event.put("validationLoss", 2.4 * (1 - 0.85 * progress) + 0.05 * random.nextDouble());
            event.put("validationAccuracy", validation);
            event.put("imagesPerSecond", (stage == 1 ? 2300 : 31) * (0.95 + 0.1 * random.nextDouble()));
            event.put("seconds", stage == 1 ? 0.4 : 24.5);
            event.put("best", validation > best);
            best = Math.max(best, validation);
            event.put("health", health(i, progress));
            events.add(event);
        }
        events.add(Map.of(
                "event",
                "ridge",
                "stage",
                1,
                "lambda",
                0.01,
                "heldOutAccuracy",
                0.953,
                "temperature",
                12.3,
                "validationAccuracy",
                0.941,
                "table",
                IntStream.rangeClosed(-5, 3)
                        .mapToObj(power -> Map.of(
                                "lambda",
                                Math.pow(10, power),
                                "accuracy",
                                0.953 - 0.012 * (power + 2) * (power + 2),
                                "logLoss",
                                0.2 + 0.03 * (power + 2) * (power + 2)))
                        .toList()));
        return writeLines("events.jsonl", events);
    }

    private Map<String, Object> health(int i, double progress) {
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("deadChannels", 0.004 + 0.02 * progress);
        health.put("sigmaSmallest", 1.2 + 0.05 * random.nextGaussian());
        health.put("sigmaLargest", 3.4 + 0.1 * random.nextGaussian());
        health.put("kernelSmallestEigenvalue", 1e-4 * (1 + 0.3 * random.nextDouble()));
        health.put("kernelCondition", 2e4 * (1 + progress));
        health.put("transformedSmallestEigenvalue", 3e-3 * (1 + 0.2 * random.nextDouble()));
        health.put("transformedCondition", 1.8e3 * (1 + 0.5 * progress));
        health.put("negativeAfterRelu", 0.0);
        health.put("orthonormality", 2e-7 * (1 + random.nextDouble()));
        health.put(
                "gradientNorms",
                Map.of(
                        "branch1.convolution.weight", 0.4 * (1.05 - progress),
                        "branch1.transform1.weight", 0.1 * (1.05 - progress),
                        "classifier.weight", 1.5 * (1.05 - progress)));
        health.put(
                "warnings",
                i == 17 ? List.of("2 of 256 channels are dead; a smaller rate for the convolution helps") : List.of());
        return health;
    }

    /** Two of a hundred are incorrect, some classes more often, mostly predicted as the next class. */
    private void predict() {
        int total = classes.size();
        for (int truth = 0; truth < total; truth++) {
            double difficulty = truth % 4 == 3 ? 0.2 : 0.03;
            for (int i = 0; i < imagesPerClass; i++) {
                boolean wrong = random.nextDouble() < difficulty;
                int other = random.nextInt(4) > 0 ? (truth + 1) % total : random.nextInt(total);
                int predicted = wrong ? other : truth;
                confusion[truth][predicted]++;
                predictions.add(Map.of(
                        "id",
                        truth + "/" + i + ".png",
                        "truth",
                        truth,
                        "predicted",
                        predicted,
                        "confidence",
                        predicted == truth
                                ? 1 - 0.4 * Math.pow(random.nextDouble(), 2)
                                : 0.35 + 0.63 * random.nextDouble()));
            }
        }
    }

    FakeRun writeScores() throws IOException {
        int total = classes.size() * imagesPerClass;
        int right = IntStream.range(0, classes.size()).map(i -> confusion[i][i]).sum();
        double accuracy = (double) right / total;
        Map<String, Object> scores = new LinkedHashMap<>();
        scores.put("accuracy", accuracy);
        scores.put("split", "test");
        scores.put("images", total);
        scores.put("top5", Math.min(1, accuracy + 0.04));
        scores.put("macroPrecision", accuracy - 0.002);
        scores.put("macroRecall", accuracy);
        scores.put("macroF1", accuracy - 0.003);
        scores.put(
                "interval",
                Map.of(
                        "lower",
                        accuracy - 0.021,
                        "upper",
                        Math.min(1, accuracy + 0.019),
                        "level",
                        0.95,
                        "method",
                        "BOOTSTRAP"));
        scores.put("perClass", perClass());
        scores.put("confusion", Map.of("classes", classes, "counts", confusion));
        scores.put(
                "calibration",
                Map.of("expectedError", 0.023, "negativeLogLikelihood", 0.21, "brier", 0.09, "bins", bins()));
        scores.put("validation", Map.of("accuracy", 0.941));
        Map<String, Object> protocol = new LinkedHashMap<>();
        protocol.put("dataset", "KTH-TIPS");
        protocol.put("contentHash", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
        protocol.put("protocol", "40 images per class for training, the others for the test");
        protocol.put("split", "random, seed 7");
        protocol.put("counts", Map.of("train", 400, "test", total));
        protocol.put("resolution", 224);
        protocol.put("crops", "centre");
        protocol.put("backbone", "ResNet-50 at res5c");
        protocol.put("weightsHash", "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752");
        protocol.put("seed", 7);
        protocol.put("hardware", null);
        scores.put("passport", protocol);
        scores.put("seconds", Map.of("features", 61.2, "training", 38.4));
        scores.put("root", folder.resolve("images").toString());
        return write("scores.json", MAPPER.writeValueAsString(scores));
    }

    private List<Map<String, Object>> perClass() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < classes.size(); i++) {
            int column = i;
            double named = IntStream.range(0, classes.size())
                    .map(row -> confusion[row][column])
                    .sum();
            double recall = (double) confusion[i][i] / imagesPerClass;
            double precision = confusion[i][i] / Math.max(1, named);
            rows.add(Map.of(
                    "name",
                    classes.get(i),
                    "support",
                    imagesPerClass,
                    "precision",
                    precision,
                    "recall",
                    recall,
                    "f1",
                    2 * precision * recall / Math.max(1e-9, precision + recall)));
        }
        return rows;
    }

    private List<Map<String, Object>> bins() {
        return IntStream.range(0, 10)
                .mapToObj(i -> Map.<String, Object>of(
                        "lower",
                        i / 10.0,
                        "upper",
                        (i + 1) / 10.0,
                        "count",
                        i < 3 ? 0 : 3 * i * i,
                        "meanConfidence",
                        i / 10.0 + 0.06,
                        "accuracy",
                        i < 3 ? 0 : Math.min(1, i / 10.0 + 0.12 * random.nextDouble() - 0.02)))
                .toList();
    }

    FakeRun writePredictions() throws IOException {
        return writeLines("predictions.jsonl", new ArrayList<>(predictions));
    }

    /** Stripes whose angle and period belong to the class; every seventh file is missing. */
    FakeRun writeImages() throws IOException {
        int drawn = 0;
        for (Map<String, Object> prediction : predictions) {
            int truth = (Integer) prediction.getOrDefault("truth", 0);
            boolean wanted = !prediction.getOrDefault("predicted", 0).equals(truth)
                    || prediction.getOrDefault("id", "").toString().endsWith("/0.png");
            if (!wanted || ++drawn % 7 == 0 || drawn > 120) {
                continue;
            }
            Path file = folder.resolve("images")
                    .resolve(prediction.getOrDefault("id", "").toString());
            Files.createDirectories(file.toAbsolutePath().getParent());
            ImageIO.write(draw(truth), "png", file.toFile());
        }
        return this;
    }

    private BufferedImage draw(int truth) {
        int width = 200 + random.nextInt(80);
        BufferedImage image = new BufferedImage(width, 200, BufferedImage.TYPE_INT_RGB);
        double angle = truth * 0.7 + 0.1 * random.nextGaussian();
        double period = 7 + truth % 5 * 5;
        int[] tint = random.ints(3, 60, 200).toArray();
        for (int y = 0; y < 200; y++) {
            for (int x = 0; x < width; x++) {
                double wave = Math.sin(2 * Math.PI * (x * Math.cos(angle) + y * Math.sin(angle)) / period);
                int rgb = 0;
                for (int c = 0; c < 3; c++) {
                    rgb = rgb << 8 | (int) Math.max(0, Math.min(255, tint[c] + 45 * wave + 20 * random.nextGaussian()));
                }
                image.setRGB(x, y, rgb);
            }
        }
        return image;
    }

    FakeRun writeReportData() throws IOException {
        return write(
                "report-data.json",
                MAPPER.writeValueAsString(new FakeReportData(classes, predictions, random).toMap()));
    }

    private FakeRun writeLines(String name, List<Object> rows) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Object row : rows) {
            lines.add(MAPPER.writeValueAsString(row));
        }
        return write(name, lines.stream().collect(Collectors.joining("\n", "", "\n")));
    }

    FakeRun write(String name, String content) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name), content);
        return this;
    }
}
