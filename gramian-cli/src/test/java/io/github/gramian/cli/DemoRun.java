package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;

import io.github.gramian.check.SharedFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The images of {@code gramian data demo}, random weights, and trainings of the command line that take seconds. */
public record DemoRun(Path folder, Path weights) {

    /** Its own images; nothing is trained yet. */
    public static DemoRun in(Path folder) {
        DemoRun small = new DemoRun(folder, Shared.weights());
        gramian("data", "demo", "--out", small.photos(), "--images", 8).succeeded();
        return small;
    }

    /** One for all tests of this JVM, with a model in {@link #run()}; they must leave it as it is. */
    public static DemoRun trained() {
        return Shared.trained();
    }

    public Path photos() {
        return folder.resolve("photos");
    }

    /** Where {@link #trained()} has its model. */
    public Path run() {
        return folder.resolve("runs/first");
    }

    /** Trains with the settings of a very small network. */
    public CommandRun train(Path images, Path out, Object... more) {
        List<Object> arguments = new ArrayList<>(List.of(
                "train",
                "--images",
                images,
                "--backbone",
                weights,
                "--out",
                out,
                "--quiet",
                "--set",
                "network.branches.0.tap=res5b",
                "--set",
                "network.branches.0.size=64",
                "--set",
                "network.branches.0.convolution=16",
                "--set",
                "backbone.precision=float",
                "--set",
                "stage1.epochs=1"));
        arguments.addAll(List.of(more));
        return gramian(arguments.toArray());
    }

    /** A run that is expensive to make and only read: made once in this JVM, deleted when it ends. */
    private static final class Shared {

        private static final Path FOLDER = SharedFolder.create("gramian-demo-run");
        private static boolean written;
        private static boolean trained;

        static synchronized Path weights() {
            Path file = FOLDER.resolve("tiny.safetensors");
            if (!written) {
                gramian("weights", "random", "--as", "resnet18_tiny", "--out", file)
                        .succeeded();
                written = true;
            }
            return file;
        }

        static synchronized DemoRun trained() {
            DemoRun small = new DemoRun(FOLDER, weights());
            if (!trained) {
                DemoRun.in(FOLDER).train(small.photos(), small.run()).succeeded();
                trained = true;
            }
            return small;
        }
    }
}
