package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A folder with made-up images, random weights, and trainings that take seconds. */
record SmallRun(Path folder) {

    /** Images and weights; nothing is trained yet. */
    static SmallRun in(Path folder) {
        SmallRun small = new SmallRun(folder);
        gramian("data", "demo", "--out", small.photos(), "--images", 8).succeeded();
        gramian("weights", "random", "--as", "resnet18", "--out", small.weights())
                .succeeded();
        return small;
    }

    Path photos() {
        return folder.resolve("photos");
    }

    Path weights() {
        return folder.resolve("resnet18.safetensors");
    }

    /** Trains with the settings of a very small network. */
    CommandRun train(Path images, Path out, Object... more) {
        List<Object> arguments = new ArrayList<>(List.of(
                "train",
                "--images",
                images,
                "--backbone",
                weights(),
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
}
