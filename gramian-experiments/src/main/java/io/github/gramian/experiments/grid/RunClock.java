package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The time of a training by part: the time before each event belongs to the part that sends it, the time after the last
 * to {@code end} (the model is written and the test images are evaluated). The time of a stopped training is stored in its
 * folder and added.
 */
final class RunClock implements TrainingListener {

    private final Path file;
    private final Map<String, Double> seconds = new TreeMap<>();
    private long mark = System.nanoTime();

    private RunClock(Path file) {
        this.file = file;
    }

    /** Starts, or continues where the run in this folder was stopped. */
    static RunClock in(Path folder) throws IOException {
        RunClock clock = new RunClock(folder.resolve("seconds.json"));
        if (Files.exists(clock.file)) {
            for (Map.Entry<String, JsonNode> part : SealedJson.read(clock.file).properties()) {
                if (part.getValue().isNumber()) {
                    clock.seconds.put(part.getKey(), part.getValue().asDouble());
                }
            }
        }
        return clock;
    }

    @Override
    public void onEvent(TrainingEvent event) {
        if (event instanceof TrainingEvent.Features) {
            add("features");
        } else if (event instanceof TrainingEvent.Step step) {
            add(step.all() ? "final" : "stage" + step.stage());
        } else if (event instanceof TrainingEvent.Epoch epoch) {
            add(epoch.all() ? "final" : "stage" + epoch.stage());
        } else if (event instanceof TrainingEvent.Ridge) {
            add("classifier");
        }
    }

    private void add(String part) {
        long now = System.nanoTime();
        seconds.merge(part, (now - mark) / 1e9, Double::sum);
        mark = now;
    }

    /** The training was stopped; stores the time it has used. */
    void pause() throws IOException {
        add("end");
        SealedJson.write(file, seconds);
    }

    /** The training is over: seconds by part, rounded to milliseconds, and their total. */
    Map<String, Double> stop() {
        add("end");
        Map<String, Double> parts = new TreeMap<>();
        double total = 0;
        for (Map.Entry<String, Double> part : seconds.entrySet()) {
            parts.put(part.getKey(), Math.round(1e3 * part.getValue()) / 1e3);
            total += part.getValue();
        }
        parts.put("total", Math.round(1e3 * total) / 1e3);
        return parts;
    }
}
