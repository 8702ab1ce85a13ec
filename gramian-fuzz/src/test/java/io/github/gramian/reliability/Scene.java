package io.github.gramian.reliability;

import static io.github.gramian.cli.CommandRun.gramian;

import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.io.disk.WatchedDisk;
import io.github.gramian.io.disk.WatchedDisk.Change.Witness;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;

/**
 * A command that changes a folder, which can be put back to what it was before.
 *
 * @param name of the command
 * @param work the folder that it changes
 * @param initial copy of the folder before the command
 * @param words of the command line
 */
record Scene(String name, Path work, Path initial, List<Object> words) {

    /** Makes its folder as it was. */
    void restore() throws IOException {
        Tree.restore(initial, work);
    }

    /** Runs the command on a disk that a witness watches. */
    CommandRun run(Witness witness) {
        WatchedDisk disk = WatchedDisk.current();
        disk.watch(work, witness);
        try {
            return gramian(words.toArray());
        } finally {
            disk.unwatch();
        }
    }

    /** The files that an unbroken run leaves, by name; without a hash if their content depends on the clock. */
    SortedMap<String, String> unbroken() throws IOException {
        restore();
        run(FailingDisk.whole()).succeeded();
        SortedMap<String, String> first = Tree.hashes(work);
        restore();
        run(FailingDisk.whole()).succeeded();
        SortedMap<String, String> second = Tree.hashes(work);
        second.replaceAll((file, hash) -> hash.equals(first.get(file)) ? hash : "");
        return second;
    }

    /** Makes scenes in a world. */
    static final class Maker {

        private final SmallRuns world;

        Maker(SmallRuns world) {
            this.world = world;
        }

        Scene of(String name) throws IOException {
            Path work = world.folder().resolve("work");
            Tree.delete(work);
            Files.createDirectories(work);
            List<Object> words = words(name, work);
            Path initial = world.folder().resolve("initial-" + name);
            Tree.restore(work, initial);
            return new Scene(name, work, initial, words);
        }

        /** Puts what a command needs into the folder, and returns the command's words. */
        private List<Object> words(String name, Path work) throws IOException {
            return switch (name) {
                case "features" ->
                    words(
                            "features",
                            "--root",
                            world.manifest(),
                            "--backbone",
                            world.weights(),
                            "--out",
                            work.resolve("features"),
                            "--tap",
                            "features",
                            "--size",
                            32,
                            "--precision",
                            "float",
                            "--trust-backbone-code",
                            "--quiet");
                case "train" -> training(work);
                case "resume" -> {
                    world.trainAndStop(work.resolve("run"), work.resolve("features"), 3);
                    yield words("resume", work.resolve("run"), "--cache", work.resolve("features"), "--quiet");
                }
                case "evaluate" -> {
                    train(work);
                    Path out = work.resolve("scores");
                    List<Object> words = words(
                            "evaluate",
                            work.resolve("run/model.gramian"),
                            "--backbone",
                            world.weights(),
                            "--trust-backbone-code",
                            "--out",
                            out,
                            "--quiet");
                    gramian(with(words, "--on", "train").toArray()).succeeded();
                    yield words;
                }
                case "predict" -> {
                    train(work);
                    yield words(
                            "predict",
                            work.resolve("run/model.gramian"),
                            world.manifest().getParent(),
                            "--backbone",
                            world.weights(),
                            "--trust-backbone-code",
                            "--quiet");
                }
                case "describe" -> {
                    train(work);
                    Path out = work.resolve("descriptors.f32");
                    gramian(describe(work, out, "checks").toArray()).succeeded();
                    yield describe(work, out, "rows");
                }
                case "experiment" -> {
                    Files.writeString(world.folder().resolve("grid.yaml"), """
                            name: tiny
                            title: A tiny grid
                            datasets:
                              photos: {images: images/manifest.csv, seeds: [1, 2]}
                            common:
                              backbone: {precision: float, trustCode: true}
                              network: {branches: [{tap: features, size: 32, convolution: 0, rectify: false}]}
                              stage1: {epochs: 1}
                            methods:
                              average: {label: Average, recipe: {network: {branches: [{aggregator: average}]}}}
                            """);
                    yield words(
                            "experiment",
                            world.folder().resolve("grid.yaml"),
                            "--data",
                            world.folder(),
                            "--backbone",
                            world.weights(),
                            "--out",
                            work.resolve("results"),
                            "--quiet");
                }
                case "export" -> export(work);
                case "export-data" -> with(export(work), "--external-data");
                default -> throw new IllegalArgumentException("no scene " + name);
            };
        }

        private List<Object> training(Path work) {
            return words(
                    "train",
                    world.recipeFile(),
                    "--out",
                    work.resolve("run"),
                    "--cache",
                    work.resolve("features"),
                    "--quiet");
        }

        private void train(Path work) {
            gramian(training(work).toArray()).succeeded();
        }

        private List<Object> describe(Path work, Path out, String kind) {
            return words(
                    "describe",
                    work.resolve("run/model.gramian"),
                    world.manifest().resolveSibling(kind),
                    "--backbone",
                    world.weights(),
                    "--trust-backbone-code",
                    "--out",
                    out,
                    "--quiet");
        }

        /** A model on a ResNet-18, since other people's programs cannot be exported; another one was there before. */
        private List<Object> export(Path work) throws IOException {
            Path old = world.folder().resolve("old.gramian");
            Path model = world.folder().resolve("model.gramian");
            SmallModels.write(old, new NetworkConfig(List.of(BranchConfig.average("res2a", 32)), 5));
            SmallModels.write(model, new NetworkConfig(List.of(BranchConfig.kernel("res2a", 32, 6, 3)), 5));
            Path target = work.resolve("model.onnx");
            gramian("export", old, "--onnx", target).succeeded();
            return words("export", model, "--onnx", target);
        }

        private static List<Object> words(Object... words) {
            return Arrays.asList(words);
        }

        private static List<Object> with(List<Object> words, Object... more) {
            List<Object> all = new ArrayList<>(words);
            all.addAll(Arrays.asList(more));
            return all;
        }
    }
}
