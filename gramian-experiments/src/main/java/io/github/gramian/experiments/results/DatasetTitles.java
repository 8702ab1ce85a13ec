package io.github.gramian.experiments.results;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.json.internal.Json;
import io.github.gramian.recipe.internal.YamlKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Titles of the datasets of grids. A name such as {@code dtd} does not state whether all classes are included, so
 * the user who publishes tables may give a title and a description of each dataset in a YAML file:
 *
 * <pre>
 * dtd:
 *   title: DTD-45
 *   about: 45 of 47 classes, short side 256 px
 *   link: ../data.md#dtd-45
 *   also: [dtd-5, dtd-10]
 * </pre>
 */
final class DatasetTitles {

    private static final List<String> KEYS = List.of("title", "about", "link", "also");

    /**
     * Name and description of a dataset.
     *
     * @param title short name, for figures
     * @param about number of classes, size of images and the like; may be empty
     * @param link page that defines the dataset; may be empty
     */
    record Title(String title, String about, String link) {

        /** Short name and description. */
        String full() {
            return about.isEmpty() ? title : title + ": " + about;
        }
    }

    private final Map<String, Title> titles;

    private DatasetTitles(Map<String, Title> titles) {
        this.titles = Map.copyOf(titles);
    }

    /** Every dataset is called what the grids call it. */
    static DatasetTitles none() {
        return new DatasetTitles(Map.of());
    }

    /**
     * Reads titles.
     *
     * @param yaml content of the file
     * @param file its name, for messages
     */
    static DatasetTitles parse(String yaml, String file) {
        try {
            Map<String, Title> titles = new LinkedHashMap<>();
            JsonNode tree = new YAMLMapper().readTree(yaml);
            if (!tree.isObject()) {
                throw new IllegalArgumentException("it must have one entry per dataset of the grids");
            }
            for (Map.Entry<String, JsonNode> entry : tree.properties()) {
                String where = "dataset '" + entry.getKey() + "'";
                YamlKeys.require(entry.getValue(), where, KEYS);
                Title title = new Title(
                        YamlKeys.string(entry.getValue(), "title", where),
                        entry.getValue().path("about").asText(""),
                        entry.getValue().path("link").asText(""));
                for (String name : names(entry)) {
                    if (titles.put(name, title) != null) {
                        throw new IllegalArgumentException("dataset '" + name + "' has two titles; remove one");
                    }
                }
            }
            return new DatasetTitles(titles);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + " is not YAML: " + Json.reason(e), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static List<String> names(Map.Entry<String, JsonNode> entry) {
        List<String> names = new ArrayList<>(List.of(entry.getKey()));
        entry.getValue().path("also").forEach(name -> names.add(name.asText()));
        return names;
    }

    /** The title of a dataset; without an entry it is the grids' name. */
    Title of(String dataset) {
        return titles.getOrDefault(dataset, new Title(dataset, "", ""));
    }
}
