package io.github.gramian.reliability;

import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.io.disk.WatchedDisk.Change;
import io.github.gramian.io.disk.WatchedDisk.Change.Kind;
import io.github.gramian.reliability.FailingDisk.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets every call fail that changes a file, one in each run of a command, and prints what is wrong afterwards. Runs in its own
 * JVM on a {@link io.github.gramian.io.disk.WatchedDisk}.
 *
 * <p>Words: a folder; which points (every n-th); the commands.
 */
final class IoFaultsMain {

    private final Scene scene;
    private final SortedMap<String, String> before;
    private final SortedMap<String, String> after;
    private final List<Change> changes;
    private final Wrongs wrong = new Wrongs();
    private final Map<String, Integer> tolerated = new TreeMap<>();
    private int points;

    private IoFaultsMain(Scene scene) throws IOException {
        this.scene = scene;
        scene.restore();
        before = Tree.hashes(scene.work());
        FailingDisk whole = FailingDisk.whole();
        scene.run(whole).succeeded();
        changes = whole.seen();
        after = scene.unbroken();
    }

    public static void main(String[] words) throws IOException {
        SmallRuns world = SmallRuns.tiny(Path.of(words[0]));
        int step = Integer.parseInt(words[1]);
        int points = 0;
        int wrong = 0;
        for (String name : List.of(words).subList(2, words.length)) {
            long start = System.nanoTime();
            IoFaultsMain faults = new IoFaultsMain(new Scene.Maker(world).of(name));
            faults.all(step, points % step);
            System.out.println(name + ": " + faults.changes.size() + " changes, " + faults.points + " faults, "
                    + faults.wrong.size() + " wrong, " + (System.nanoTime() - start) / 1_000_000_000
                    + " s, done all the same: " + faults.tolerated);
            points += faults.points;
            wrong += faults.wrong.size();
        }
        System.out.println("points " + points + " wrong " + wrong);
    }

    private void all(int step, int first) throws IOException {
        int number = first;
        for (int n = 0; n < changes.size(); n++) {
            for (Way way : Way.of(changes.get(n).kind())) {
                if (number++ % step == 0) {
                    points++;
                    one(new FailingDisk(n, way), way);
                }
            }
        }
    }

    private void one(FailingDisk disk, Way way) throws IOException {
        scene.restore();
        CommandRun run = scene.run(disk);
        Change failed = disk.failed();
        if (failed == null) {
            return; // the command came to its end before
        }
        String where = scene.name() + " " + way + " at " + failed + ": ";
        SortedMap<String, String> left = Tree.hashes(scene.work());
        if (run.exitCode() == 0) {
            tolerated.merge(way + " " + failed.kind() + " " + plain(failed), 1, Integer::sum);
            compare(where + "succeeded with another result: ", left);
        } else {
            sentence(where, run, disk.failures());
            wholeness(where, left, failed);
        }
        if (way == Way.SHORT && run.exitCode() != 0) {
            wrong.add(where + "a short write is not an error: " + run.err());
        }
        for (String file : left.keySet()) {
            if (file.contains(".tmp") && failed.kind() != Kind.DELETE) {
                wrong.add(where + "left behind " + file);
            }
        }
        CommandRun again = scene.run(FailingDisk.whole());
        if (again.exitCode() != 0) {
            wrong.add(where + "cannot be repeated: " + again.err().strip() + " (first: "
                    + run.err().strip() + ")");
            return;
        }
        SortedMap<String, String> repeated = Tree.hashes(scene.work());
        if (failed.kind() == Kind.DELETE) {
            repeated.keySet().removeIf(file -> file.contains(".tmp") || Tree.isWork(file));
        }
        compare(where + "repeated with another result: ", repeated);
    }

    /** One line that names a file that could not be written. */
    private void sentence(String where, CommandRun run, List<Change> failures) {
        String message = run.err().strip();
        if (message.lines().count() != 1 || !message.startsWith("gramian: ")) {
            wrong.add(where + "not one sentence: " + message);
        } else if (failures.stream().noneMatch(failed -> message.contains(plain(failed)))) {
            wrong.add(where + "does not name the file: " + message);
        }
    }

    /**
     * The name that users know: a lock is that of its folder, and a temporary file is called
     * .NAME.PROCESS.TOKEN.tmp.
     */
    private static String plain(Change change) {
        Path path = change.target() == null ? change.path() : change.target();
        if (path.endsWith("lock")) {
            path = path.getParent(); // users know what is locked
        }
        return String.valueOf(path.getFileName()).replaceAll("^\\.(.*?)(\\.[0-9a-f]{16}){0,2}\\.tmp$", "$1");
    }

    /** Every file is the old one or the new one; what is only appended to may end anywhere. */
    private void wholeness(String where, SortedMap<String, String> left, Change failed) {
        left.forEach((file, hash) -> {
            String expected = after.get(file);
            boolean timed = expected != null && expected.isEmpty();
            if (!timed && !hash.equals(expected) && !hash.equals(before.get(file)) && !mayBePartial(file)) {
                wrong.add(where + "neither old nor new: " + file);
            }
        });
        if (failed.kind() == Kind.MOVE || failed.kind() == Kind.DELETE) {
            return; // of files that belong together one may be absent between two renames
        }
        before.keySet().stream()
                .filter(file -> !left.containsKey(file) && after.containsKey(file))
                .forEach(file -> wrong.add(where + "lost " + file));
    }

    private static boolean mayBePartial(String file) {
        return file.contains("events.jsonl")
                || file.contains("checkpoints")
                || file.contains(".tmp")
                || Tree.isWork(file);
    }

    private void compare(String where, SortedMap<String, String> found) {
        for (Map.Entry<String, String> file : after.entrySet()) {
            @Nullable String hash = found.get(file.getKey());
            if (hash == null && Tree.isOptional(file.getKey())) {
                continue;
            }
            if (hash == null || (!file.getValue().isEmpty() && !hash.equals(file.getValue()))) {
                wrong.add(where + file.getKey() + (hash == null ? " is missing" : " differs"));
            }
        }
        found.keySet().stream()
                .filter(file -> !after.containsKey(file))
                .forEach(file -> wrong.add(where + file + " is new"));
    }
}
