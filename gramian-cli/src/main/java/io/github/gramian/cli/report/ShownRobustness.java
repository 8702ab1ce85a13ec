package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.image.corruption.internal.Corruption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@code robustness.json}, which {@code gramian evaluate --corruptions --out} writes. */
final class ShownRobustness {

    private static final String FILE = "robustness.json";
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_CELLS = 500;

    private ShownRobustness() {}

    /** Accuracies on corrupted images; empty if there are none, or if the file is invalid, which leaves a note. */
    static Optional<Robustness> read(RunFiles files) {
        JsonNode tree = files.object(FILE, MAX_BYTES);
        if (tree.isMissingNode()) {
            return Optional.empty();
        }
        List<Robustness.Cell> cells = new ArrayList<>();
        for (JsonNode one : tree.path("corruptions")) {
            String name = one.path("name").asText("");
            int severity = one.path("severity").asInt(0);
            JsonNode accuracy = one.path("accuracy");
            if (!name.matches("[a-z_]{1,40}")
                    || severity < 1
                    || severity > Corruption.MAX_SEVERITY
                    || !isShare(accuracy)
                    || cells.size() == MAX_CELLS) {
                return invalid(files);
            }
            cells.add(new Robustness.Cell(name, severity, accuracy.asDouble()));
        }
        return cells.isEmpty() || !isShare(tree.path("clean"))
                ? invalid(files)
                : Optional.of(new Robustness(
                        tree.path("images").asInt(0), tree.path("clean").asDouble(), cells));
    }

    private static boolean isShare(JsonNode value) {
        return value.isNumber() && value.asDouble() >= 0 && value.asDouble() <= 1;
    }

    private static Optional<Robustness> invalid(RunFiles files) {
        files.note(FILE + " does not have accuracies on corrupted images and is left out.");
        return Optional.empty();
    }
}
