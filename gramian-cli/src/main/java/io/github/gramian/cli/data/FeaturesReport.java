package io.github.gramian.cli.data;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.io.internal.Text;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The final report of {@code gramian features}.
 *
 * @param folder of the cached features
 * @param computed images
 * @param rejects files that are not images that can be read, each with its reason
 * @param seconds that it took to compute them
 * @param repaired shards that were damaged and were computed again
 * @param damaged shards whose checksum does not match
 */
record FeaturesReport(
        Path folder,
        long computed,
        Map<String, String> rejects,
        double seconds,
        List<String> repaired,
        List<String> damaged) {

    void printJson(PrintWriter out) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("folder", folder.toString());
        result.put("computed", computed);
        result.put("rejected", rejects.size());
        result.put("rejects", rejects);
        result.put("imagesPerSecond", computed / seconds);
        result.put("repaired", repaired);
        result.put("damaged", damaged);
        JsonOutput.print(out, result);
    }

    void printText(PrintWriter out) {
        out.println(String.format(
                Locale.ROOT,
                "%s computed in %s (%.1f per second), %d rejected",
                Text.count(computed, "image"),
                Text.duration(seconds),
                computed / seconds,
                rejects.size()));
        rejects.forEach((file, why) -> out.println("  rejected " + file + ": " + why));
        repaired.forEach(shard -> out.println("  was damaged and is computed again: " + shard));
        printDamage(out, damaged);
        out.println("stored in " + folder);
        out.flush();
    }

    /** With {@code --verify} damage is only reported, so that nothing is overwritten before the user has seen it. */
    static void printOnlyDamage(PrintWriter out, boolean json, Path folder, List<String> damaged) {
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("folder", folder.toString());
            result.put("damaged", damaged);
            JsonOutput.print(out, result);
            return;
        }
        printDamage(out, damaged);
        out.flush();
    }

    private static void printDamage(PrintWriter out, List<String> damaged) {
        damaged.forEach(shard -> out.println("  damaged " + shard + ": its checksum does not match"));
        if (!damaged.isEmpty()) {
            out.println("run again without --verify to compute damaged features again");
        }
    }
}
