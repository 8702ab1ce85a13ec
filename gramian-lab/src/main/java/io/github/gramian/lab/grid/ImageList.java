package io.github.gramian.lab.grid;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The test images of a split, sorted by id, and their true classes. Runs on the same images share one file of them; a run
 * refers to it by its hash.
 *
 * @param ids paths within the dataset
 * @param truths number of each image's class
 */
@JsonPropertyOrder({"sha256", "ids", "truths"})
public record ImageList(List<String> ids, List<Integer> truths) {

    public ImageList {
        if (ids.size() != truths.size()) {
            throw new IllegalArgumentException(ids.size() + " images have " + truths.size() + " true classes");
        }
        ids = List.copyOf(ids);
        truths = List.copyOf(truths);
    }

    /** SHA-256 over ids and truths; the file states it, and readers of the file compare it. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
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
        AtomicFile.makeFolder(folder);
        if (find(folder, sum).isPresent()) {
            return;
        }
        Path file = folder.resolve("images-s" + split + "-r" + seed + ".json");
        if (Files.exists(file)) {
            file = folder.resolve("images-s" + split + "-r" + seed + "-" + sum.substring(0, 8) + ".json");
        }
        ResultFolder.write(file, this);
    }

    /** Some of the images, by their indices. */
    ImageList some(int[] indices) {
        return new ImageList(
                Arrays.stream(indices).mapToObj(ids::get).toList(),
                Arrays.stream(indices).mapToObj(truths::get).toList());
    }

    /** The list with this hash among the lists in a dataset's folder of results. */
    static Optional<ImageList> find(Path folder, String sum) throws IOException {
        try (DirectoryStream<Path> lists = Files.newDirectoryStream(folder, "images-*.json")) {
            for (Path file : lists) {
                ImageList list = read(file);
                if (list.sha256().equals(sum)) {
                    return Optional.of(list);
                }
            }
        }
        return Optional.empty();
    }

    public static ImageList read(Path file) throws IOException {
        try {
            JsonNode tree = ResultFolder.read(file);
            ImageList list = Json.value(tree, ImageList.class);
            if (!list.sha256().equals(tree.path("sha256").asText())) {
                throw new IllegalArgumentException("its hash is not that of its images");
            }
            return list;
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    file + " is not a list of images; restore it, or delete the results next to it and run them again",
                    e);
        }
    }
}
