package io.github.gramian.experiment.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The test images of a split, sorted by id, and their true classes. Runs on the same images share one file of them; a run
 * refers to it by its hash.
 *
 * @param ids paths within the dataset
 * @param truths number of each image's class
 */
public record ImageList(List<String> ids, List<Integer> truths) {

    public ImageList {
        if (ids.size() != truths.size()) {
            throw new IllegalArgumentException(ids.size() + " images have " + truths.size() + " true classes");
        }
        ids = List.copyOf(ids);
        truths = List.copyOf(truths);
    }

    /** SHA-256 over ids and truths. */
    public String sha256() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ids.size(); i++) {
            text.append(ids.get(i)).append('\t').append(truths.get(i)).append('\n');
        }
        return Sha256.of(text.toString());
    }

    /** Writes the list into a dataset's folder of results unless one of its files holds the same. */
    void keep(Path folder, int split, long seed) throws IOException {
        String sum = sha256();
        Files.createDirectories(folder);
        try (DirectoryStream<Path> lists = Files.newDirectoryStream(folder, "images-*.json")) {
            for (Path list : lists) {
                if (read(list).sha256().equals(sum)) {
                    return;
                }
            }
        }
        Path file = folder.resolve("images-s" + split + "-r" + seed + ".json");
        if (Files.exists(file)) {
            file = folder.resolve("images-s" + split + "-r" + seed + "-" + sum.substring(0, 8) + ".json");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("sha256", sum);
        fields.put("ids", ids);
        fields.put("truths", truths);
        ResultJson.write(file, fields);
    }

    /** Reads a list. */
    public static ImageList read(Path file) throws IOException {
        ResultJson.requireBounded(file, "a list of images");
        try {
            JsonNode tree = ResultJson.read(file);
            List<String> ids = new ArrayList<>();
            tree.path("ids").forEach(id -> ids.add(id.asText()));
            List<Integer> truths = new ArrayList<>();
            tree.path("truths").forEach(truth -> truths.add(truth.asInt(-1)));
            ImageList list = new ImageList(ids, truths);
            if (!list.sha256().equals(tree.path("sha256").asText())) {
                throw new IllegalArgumentException("its hash is not that of its images");
            }
            return list;
        } catch (JsonProcessingException | IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    file + " is not a list of images; restore it, or delete the results beside it and run them again",
                    wrong);
        }
    }
}
