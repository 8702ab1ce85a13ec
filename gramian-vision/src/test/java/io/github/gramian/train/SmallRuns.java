package io.github.gramian.train;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import javax.imageio.ImageIO;

/** Trainings that take a second: three kinds of drawn textures, a tiny ResNet-18 with random weights, a small network on top. */
public final class SmallRuns {

    public static final List<String> CLASSES = List.of("checks", "rows", "columns");
    public static final int TRAIN = 8;
    public static final int TEST = 4;

    private static final int PIXELS = 64;

    private final Path folder;

    private SmallRuns(Path folder) {
        this.folder = folder;
    }

    /** Draws the images and the weights into a folder. */
    public static SmallRuns in(Path folder) throws IOException {
        SmallRuns runs = new SmallRuns(folder);
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (String kind : CLASSES) {
            for (int i = 0; i < TRAIN + TEST; i++) {
                String path = kind + "/" + i + ".png";
                draw(folder.resolve("images").resolve(path), kind, i);
                lines.add(path + "," + kind + "," + (i < TRAIN ? "train" : "test"));
            }
        }
        Files.write(runs.manifest(), lines);
        WeightsFile.writeRandom(
                runs.weights(), new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), new Seed(5));
        return runs;
    }

    /** The runs that {@link #in} left there. */
    public static SmallRuns existing(Path folder) {
        return new SmallRuns(folder);
    }

    /** A texture with a random period, phase and noise, so that no two files are alike. */
    public static void draw(Path file, String kind, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed * 31 + kind.hashCode());
        int period = 6 + random.nextInt(6);
        int phase = random.nextInt(period);
        BufferedImage image = new BufferedImage(PIXELS, PIXELS, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < PIXELS; y++) {
            for (int x = 0; x < PIXELS; x++) {
                boolean row = (y + phase) / period % 2 == 0;
                boolean column = (x + phase) / period % 2 == 0;
                boolean light = kind.equals("rows") ? row : kind.equals("columns") ? column : row == column;
                int grey = (light ? 180 : 40) + random.nextInt(40);
                image.setRGB(x, y, grey << 16 | grey << 8 | grey);
            }
        }
        Files.createDirectories(file.getParent());
        ImageIO.write(image, "png", file.toFile());
    }

    public Path images() {
        return folder.resolve("images");
    }

    public Path manifest() {
        return images().resolve("manifest.csv");
    }

    public Path weights() {
        return folder.resolve("tiny.safetensors");
    }

    public Path cache() {
        return folder.resolve("cache");
    }

    /** Only stage 1, three steps an epoch, with everything in the network that keeps a state; settings go on top. */
    public Recipe recipe(String... settings) {
        return RecipeFile.parse("""
                data: {images: '%s', validation: 0.25}
                backbone: {weights: '%s', precision: float}
                views: {margin: 1, training: 'random-resized:1:0.5:1:1.33', augment: 'mirror:0.5', test: centre}
                network:
                  logitScale: 5
                  branches:
                    - tap: res5b
                      size: 48
                      convolution: 8
                      rectify: true
                      aggregator: {kind: spd, aggregation: {kernel: rbf}, transforms: [{outputDim: 4, activation: relu}]}
                      descriptor: {powerEpsilon: 1.0E-3, centringMomentum: 0.1}
                initialisation: {convolution: pca, transform: pca, classifier: zeros}
                stage1: {epochs: 2, batch: 6, accumulate: 1, schedule: cosine, warmUp: 2, momentum: 0.9,
                  rates: {classifier: 0.1, bias: 0.01, convolution: 0.05, transform: 0.05}}
                stage2: {epochs: 0, batch: 6, accumulate: 1, schedule: constant, warmUp: 0, momentum: 0.9,
                  rates: {classifier: 0.025, backbone: 0.001, backboneClip: 1}}
                refit: never
                final: training
                seed: 7
                """.formatted(manifest(), weights()), List.of(settings));
    }

    /** Runs a recipe into a folder next to the images. */
    public Run run(Recipe recipe, String name) throws IOException {
        return run(recipe, name, TrainingOptions.defaults(cache()));
    }

    public Run run(Recipe recipe, String name, TrainingOptions options) throws IOException {
        return Training.of(recipe).with(options).into(path(name));
    }

    /** Options of a training that is cancelled after the given number of batches. */
    TrainingOptions stoppingAfter(int batches) {
        AtomicInteger seen = new AtomicInteger();
        return TrainingOptions.defaults(cache())
                .withListener(event -> seen.addAndGet(event instanceof TrainingEvent.Step ? 1 : 0))
                .stoppedBy(() -> seen.get() >= batches);
    }

    public Path path(String name) {
        return folder.resolve("runs").resolve(name);
    }

    /** The results that equal trainings have in common. */
    public String weightsHash(String name) throws IOException {
        try (StoredModel file = StoredModel.open(new RunFolder(path(name)).model())) {
            file.verify();
            return file.weightsHash();
        }
    }

    /** Which epoch of a stage left the weights that stayed; 0 would mean that training did nothing. */
    int bestEpoch(String name, int stage) throws IOException {
        int best = -1;
        for (String line : Files.readAllLines(new RunFolder(path(name)).events())) {
            if (line.contains("\"event\":\"epoch\",\"stage\":" + stage) && line.contains("\"best\":true")) {
                best = Integer.parseInt(line.replaceAll(".*\"epoch\":(\\d+),.*", "$1"));
            }
        }
        return best;
    }

    /** The log without what depends on the clock. */
    List<String> events(String name) throws IOException {
        return Files.readAllLines(new RunFolder(path(name)).events()).stream()
                .map(line -> line.replaceAll("\"(imagesPerSecond|seconds|crc32c)\":[^,]*", "\"$1\":0"))
                .toList();
    }
}
