package io.github.gramian.search.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the files of a search are: in the run directory that it leaves.
 *
 * @param path the folder
 */
public record SearchFolder(Path path) {

    /** The directory of files that only the search needs. */
    Path details() {
        return path.resolve("search");
    }

    /** Finished trials and decisions. */
    Path journal() {
        return details().resolve("journal.jsonl");
    }

    /** The recipe that would be chosen now. */
    public Path best() {
        return details().resolve("best.yaml");
    }

    /** The candidates, for programs. */
    public Path leaderboard() {
        return path.resolve("leaderboard.json");
    }

    /** The same for spreadsheets. */
    Path table() {
        return path.resolve("leaderboard.csv");
    }

    /** The same for people. */
    public Path page() {
        return path.resolve("leaderboard.html");
    }

    /** A search that was refused leaves no files. */
    void removeIfEmpty() throws IOException {
        try {
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException e) {
            // It has found something.
        }
    }

    void write(Leaderboard board, Leaderboard.@Nullable Row chosen, Objective objective, double seconds)
            throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        StringBuilder table = new StringBuilder("rank,candidate,images,accuracy,interval,behind,behindError,"
                + "milliseconds,dimensions,modelBytes,front,chosen\n");
        for (Leaderboard.Row row : board.rows()) {
            Map<String, Object> fields = fields(row, chosen);
            rows.add(fields);
            table.append(fields.values().stream()
                            .map(String::valueOf)
                            .reduce((a, b) -> a + "," + b)
                            .orElse(""))
                    .append('\n');
            // Not in the table: a name of the user's, which a spreadsheet could take for a formula.
            fields.put("label", row.candidate().label());
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("objective", objective.name().toLowerCase(Locale.ROOT));
        all.put("seconds", Math.round(10 * seconds) / 10.0);
        all.put("candidates", rows);
        AtomicFile.writeText(leaderboard(), Json.indented(all) + "\n");
        AtomicFile.writeText(table(), table.toString());
    }

    private static Map<String, Object> fields(Leaderboard.Row row, Leaderboard.@Nullable Row chosen) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("rank", row.rank());
        fields.put("candidate", row.candidate().name());
        fields.put("images", row.trial().images());
        fields.put("accuracy", rounded(row.accuracy().mean()));
        fields.put("interval", rounded(row.accuracy().halfInterval()));
        fields.put("behind", rounded(row.behind().mean()));
        fields.put("behindError", rounded(row.behind().error()));
        fields.put("milliseconds", Math.round(10 * row.trial().millis()) / 10.0);
        fields.put("dimensions", row.trial().dimensions());
        fields.put("modelBytes", row.trial().modelBytes());
        fields.put("front", row.front());
        fields.put("chosen", chosen != null && chosen.rank() == row.rank());
        return fields;
    }

    private static double rounded(double value) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.6f", value));
    }
}
