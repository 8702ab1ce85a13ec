package io.github.gramian.lab.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.json.internal.Json;
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
     * Name and description of a dataset.
     *
     * @param title short name, for figures
     * @param about number of classes, size of images and the like; may be empty
     * @param link page that defines the dataset; may be empty
     * @param also other names of the dataset in grids
     */
    record Title(String title, String about, String link, List<String> also) {

        Title(@Nullable String title, @Nullable String about, @Nullable String link, @Nullable List<String> also) {
            this.title = Objects.requireNonNull(title, "a dataset has no title");
            this.about = Objects.requireNonNullElse(about, "");
            this.link = Objects.requireNonNullElse(link, "");
            this.also = Objects.requireNonNullElse(also, List.of());
        }

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
            Map<String, Title> entries = new YAMLMapper().readValue(yaml, new TypeReference<>() {});
            Map<String, Title> titles = new LinkedHashMap<>(entries);
            entries.forEach((dataset, title) -> title.also().forEach(name -> {
                if (titles.put(name, title) != null) {
                    throw new IllegalArgumentException("dataset '" + name + "' has two titles; remove one");
                }
            }));
            return new DatasetTitles(titles);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + ": " + Json.reason(e), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** The title of a dataset; without an entry it is the grids' name. */
    Title of(String dataset) {
        return titles.getOrDefault(dataset, new Title(dataset, null, null, null));
    }
}
