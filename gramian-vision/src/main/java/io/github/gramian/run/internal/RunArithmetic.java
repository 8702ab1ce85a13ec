package io.github.gramian.run.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.run.TrainingException;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What rounding depends on in addition to the inputs of a run: versions, BLAS, instructions, threads, processes. A run may be resumed with
 * another one, but its result then differs from an uninterrupted run, which must be reported.
 *
 * @param used a line for each that the run was computed with, in order, the current one last
 */
public record RunArithmetic(List<String> used) {

    static final String KEY = "arithmetic";

    public RunArithmetic {
        used = List.copyOf(used);
    }

    /** The current one, after those that the run directory stores. */
    public static RunArithmetic in(RunFolder folder, int processes) throws IOException {
        List<String> used = new ArrayList<>(stored(folder));
        String now = line(processes);
        if (used.isEmpty() || !used.get(used.size() - 1).equals(now)) {
            used.add(now);
        }
        return new RunArithmetic(used);
    }

    private static String line(int processes) {
        Engine.Description engine = Engine.describe();
        return "Gramian " + GramianVersion.text() + ", " + engine.line() + ", CPU with "
                + String.join(" ", engine.cpuFeatures()) + ", rounding " + Engine.rounding() + ", processes: "
                + processes;
    }

    private static List<String> stored(RunFolder folder) throws IOException {
        List<String> lines = new ArrayList<>();
        if (RunInputs.isStarted(folder) && Files.exists(folder.inputs())) {
            try {
                for (JsonNode line : SealedJson.read(folder.inputs()).path(KEY)) {
                    lines.add(line.asText());
                }
            } catch (TrainingException e) {
                return List.of(); // it is written again
            }
        }
        return lines;
    }

    /** A warning about a run that was computed with several. */
    public Optional<String> warning() {
        return used.size() < 2
                ? Optional.empty()
                : Optional.of(
                        "parts of this run were computed with different arithmetic (" + String.join("; then ", used)
                                + "): its result may differ in rounding from that of an uninterrupted run");
    }
}
