package io.github.gramian.reliability;

import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.io.disk.WatchedDisk.Change;
import io.github.gramian.io.disk.WatchedDisk.Change.Fault;
import io.github.gramian.io.disk.WatchedDisk.Change.Witness;
import io.github.gramian.reliability.CrashImages.Luck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Lets power fail at any point of a command, repeats the command on what may be left, and prints where the result is not that
 * of an unbroken run. Runs in its own JVM on a {@link io.github.gramian.io.disk.WatchedDisk}.
 *
 * <p>Words: a folder; how many images a command; the commands.
 */
final class PowerLossMain {

    private static final double GOLDEN = 0.6180339887498949;

    private final Scene scene;
    private final CrashImages images;
    private final SortedMap<String, String> unbroken;
    private final Wrongs wrong = new Wrongs();

    private PowerLossMain(Scene scene) throws IOException {
        this.scene = scene;
        unbroken = scene.unbroken();
        scene.restore();
        Recorder recorder = new Recorder();
        scene.run(recorder).succeeded();
        images = new CrashImages(scene.work(), scene.initial(), recorder.log);
    }

    private static final class Recorder implements Witness {

        private final List<Change> log = new ArrayList<>();

        @Override
        public @Nullable Fault before(Change change) {
            return null;
        }

        @Override
        public void after(Change change) {
            log.add(change);
        }
    }

    public static void main(String[] words) throws IOException {
        SmallRuns world = SmallRuns.tiny(Path.of(words[0]));
        int most = Integer.parseInt(words[1]);
        int made = 0;
        int wrong = 0;
        for (String name : List.of(words).subList(2, words.length)) {
            long start = System.nanoTime();
            PowerLossMain losses = new PowerLossMain(new Scene.Maker(world).of(name));
            losses.afterTheEnd();
            SplittableRandom random = new SplittableRandom(name.hashCode());
            for (int image = 0; image < most; image++) {
                // Evenly over the log, however many there are.
                int cut = 1 + (int) (image * GOLDEN % 1 * losses.images.changes());
                losses.one(cut, image % 4 == 0 ? Luck.none() : image % 4 == 1 ? Luck.all() : Luck.random(random));
            }
            System.out.println(name + ": " + losses.images.changes() + " changes, " + most + " images, "
                    + losses.wrong.size() + " wrong, " + (System.nanoTime() - start) / 1_000_000_000 + " s");
            made += most;
            wrong += losses.wrong.size();
        }
        System.out.println("points " + made + " wrong " + wrong);
    }

    /** Everything that a command has reported as done exists after any loss of power. */
    private void afterTheEnd() throws IOException {
        images.write(images.changes(), Luck.none());
        if (!Files.exists(scene.work())) {
            wrong.add(scene.name() + ": the folder is gone");
        }
        compare(scene.name() + " after its end: ", Tree.hashes(scene.work()));
    }

    private void one(int cut, Luck luck) throws IOException {
        images.write(cut, luck);
        String where = scene.name() + " after change " + cut + ", " + images.at(cut) + ": ";
        String there = String.join(" ", Tree.hashes(scene.work()).keySet());
        CommandRun again = scene.run(FailingDisk.whole());
        if (again.exitCode() != 0) {
            wrong.add(where + "refused: " + again.err().strip() + " with " + there);
        } else {
            compare(where, Tree.hashes(scene.work()));
        }
    }

    private void compare(String where, SortedMap<String, String> found) {
        unbroken.forEach((file, hash) -> {
            boolean missing = !found.containsKey(file);
            if (!Tree.isOptional(file) && (missing || !(hash.isEmpty() || hash.equals(found.get(file))))) {
                wrong.add(where + file + (missing ? " is missing" : " differs"));
            }
        });
        found.keySet().stream()
                // The result is written, but the folder was not removed yet: it may have been retained on purpose.
                .filter(file -> !unbroken.containsKey(file) && !file.startsWith("results/runs/"))
                .forEach(file -> wrong.add(where + file + " is left"));
    }
}
