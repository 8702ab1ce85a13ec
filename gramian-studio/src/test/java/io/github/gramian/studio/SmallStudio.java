package io.github.gramian.studio;

import static io.github.gramian.cli.CommandRun.gramian;

import io.github.gramian.cli.DemoRun;
import io.github.gramian.studio.project.internal.StudioSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Drawn photographs without labels in one directory, and a tiny network with random weights. */
public record SmallStudio(Path folder, Path photographs, Path weights) {

    /** Settings of a very small network; with random weights only the first layers tell dots from stripes. */
    private static final List<String> SETTINGS = List.of(
            "network.branches.0.tap=res2a",
            "network.branches.0.size=64",
            "network.branches.0.convolution=8",
            "backbone.precision=float",
            "stage1.epochs=1");

    /** Copies the drawn images of each class into one directory, named by class and number. */
    public static SmallStudio in(Path folder, int imagesPerClass) throws IOException {
        Path drawn = folder.resolve("drawn");
        gramian("data", "demo", "--out", drawn, "--images", imagesPerClass).succeeded();
        Path photographs = Files.createDirectories(folder.resolve("photos"));
        try (Stream<Path> files = Files.walk(drawn)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                Files.copy(
                        file,
                        photographs.resolve(drawn.relativize(file).toString().replace('/', '-')));
            }
        }
        return new SmallStudio(
                folder, photographs, DemoRun.in(folder.resolve("weights")).weights());
    }

    public Path labels() {
        return photographs.resolve("labels.csv");
    }

    public StudioSettings settings() {
        List<String> recipe = new ArrayList<>(List.of("backbone.weights='" + weights + "'"));
        recipe.addAll(SETTINGS);
        return new StudioSettings(
                photographs, labels(), "test", recipe, folder.resolve("cache"), folder.resolve("out"));
    }

    /** The words of the command. */
    public List<String> words() {
        List<String> words = new ArrayList<>(List.of(
                "studio",
                photographs.toString(),
                "--backbone",
                weights.toString(),
                "--cache",
                folder.resolve("cache").toString(),
                "--out",
                folder.resolve("out").toString()));
        for (String setting : SETTINGS) {
            words.addAll(List.of("--set", setting));
        }
        return words;
    }
}
