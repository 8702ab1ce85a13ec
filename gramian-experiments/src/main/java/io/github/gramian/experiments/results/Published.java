package io.github.gramian.experiments.results;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A figure that others have published.
 *
 * @param datasets names in our grids of the dataset that it is about
 * @param methods names in our grids that do the same
 * @param name as its authors call it
 * @param percent accuracy
 * @param comparable whether it was measured under our protocol, on the same classes
 */
record Published(
        List<String> datasets,
        List<String> methods,
        String name,
        String backbone,
        double percent,
        String source,
        String protocol,
        boolean comparable) {

    Published {
        datasets = List.copyOf(datasets);
        methods = List.copyOf(methods);
    }

    static List<Published> all() throws IOException {
        List<Published> all = new ArrayList<>();
        try (InputStream in = Published.class.getResourceAsStream("published.yaml")) {
            if (in == null) {
                throw new IOException("published.yaml is missing from the program; install it again");
            }
            for (JsonNode row : new YAMLMapper().readTree(in)) {
                all.add(new Published(
                        strings(row.path("datasets")),
                        strings(row.path("methods")),
                        row.path("name").asText(),
                        row.path("backbone").asText(),
                        row.path("figure").asDouble(),
                        row.path("source").asText(),
                        row.path("protocol").asText(),
                        !row.path("other").asBoolean()));
            }
        }
        return all;
    }

    private static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>();
        list.forEach(one -> strings.add(one.asText()));
        return strings;
    }

    /** For a table: the figure, whether it is comparable with ours, and how it was measured. */
    String cell() {
        return String.format(
                Locale.ROOT,
                "%.1f%s (%s; %s; %s)",
                percent,
                comparable ? "" : ", not comparable",
                backbone,
                source,
                protocol);
    }
}
