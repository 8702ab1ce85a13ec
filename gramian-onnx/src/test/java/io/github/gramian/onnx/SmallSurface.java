package io.github.gramian.onnx;

import static io.github.gramian.cli.CommandRun.gramian;

import io.github.gramian.image.codec.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A model of good parts on a tiny network with random weights, and photographs for it. */
public final class SmallSurface {

    private static final int PHOTOGRAPHS = 12;

    private SmallSurface() {}

    /** Trains in seconds; returns the model. */
    public static Path train(Path folder) throws IOException {
        Path weights = folder.resolve("tiny.safetensors");
        gramian("weights", "random", "--as", "resnet18_tiny", "--out", weights).succeeded();
        Path good = Files.createDirectories(folder.resolve("good"));
        for (int i = 0; i < PHOTOGRAPHS; i++) {
            photograph(96, 64, i, good.resolve(i + ".png"));
        }
        Path run = folder.resolve("part");
        gramian("train", "--good", good, "--backbone", weights, "--out", run, "--alarms", 0.1, "--short-side", 64)
                .succeeded();
        return run.resolve("model.gramian");
    }

    /** Writes a drawn photograph. */
    public static Path photograph(int width, int height, int number, Path file) throws IOException {
        return Files.write(file, Fixtures.file(Fixtures.picture(width, height, number), "png"));
    }
}
