package io.github.gramian.lab.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.json.internal.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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

    /**
     * An entry of the file.
     *
     * @param title short name, for figures
     * @param about number of classes, size of images and the like
     * @param link page that defines the dataset
     * @param also other names of the dataset in grids
     */
    private record Entry(
            @Nullable String title, @Nullable String about, @Nullable String link, @Nullable List<String> also) {}

    /** Name and description of a dataset; the last two may be empty. */
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
            Map<String, Entry> entries = new YAMLMapper().readValue(yaml, new TypeReference<>() {});
            Map<String, Title> titles = new LinkedHashMap<>();
            entries.forEach((dataset, entry) -> {
                if (entry.title() == null) {
                    throw new IllegalArgumentException("dataset '" + dataset + "' has no title");
                }
                Title title = new Title(
                        entry.title(),
                        Objects.requireNonNullElse(entry.about(), ""),
                        Objects.requireNonNullElse(entry.link(), ""));
                List<String> names = new ArrayList<>(List.of(dataset));
                names.addAll(Objects.requireNonNullElse(entry.also(), List.of()));
                for (String name : names) {
                    if (titles.put(name, title) != null) {
                        throw new IllegalArgumentException("dataset '" + name + "' has two titles; remove one");
                    }
                }
            });
            return new DatasetTitles(titles);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + ": " + Json.reason(e), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** The title of a dataset; without an entry it is the grids' name. */
    Title of(String dataset) {
        return titles.getOrDefault(dataset, new Title(dataset, "", ""));
    }
}
