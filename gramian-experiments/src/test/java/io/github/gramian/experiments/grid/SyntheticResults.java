package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.EvaluationProtocol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Synthetic results with a given number of correct predictions. */
public final class SyntheticResults {

    private final Path folder;
    private final int images;

    public SyntheticResults(Path folder, int images) {
        this.folder = folder;
        this.images = images;
    }

    /** A run that predicts all images correctly but these first ones. */
    public SyntheticResults run(String method, int split, long seed, int size, int wrong) throws IOException {
        List<String> ids = new ArrayList<>();
        List<Integer> truths = new ArrayList<>();
        List<Integer> predicted = new ArrayList<>();
        for (int i = 0; i < images; i++) {
            ids.add("images/" + split + "-" + i + ".jpg");
            truths.add(i % 3);
            predicted.add(i < wrong ? (i + 1) % 3 : i % 3);
        }
        ImageList list = new ImageList(ids, truths);
        list.keep(folder.resolve("made"), split, seed);
        RunResult result = new RunResult(
                new RunResult.Cell("grid", method, "The " + method, "made", split, seed),
                new RunResult.Measured(
                        null, new JsonMapper().createObjectNode().put("accuracy", (double) (images - wrong) / images)),
                new RunResult.Footprint(2080, 1000, new TreeMap<>(Map.of("total", 60.0 * split)), null, 1),
                EvaluationProtocol.ofData(
                                "Made", "abc", "standard (ten splits)", "split " + split, Map.of("test", images))
                        .withViews(size, "centre")
                        .withBackbone("resnet50 res5c@" + size, "def")
                        .withSeed(seed),
                new JsonMapper().createObjectNode(),
                new RunResult.Answers(list.sha256(), predicted));
        result.write(folder.resolve("made/" + method + "/s" + split + "-r" + seed + ".json"));
        return this;
    }
}
