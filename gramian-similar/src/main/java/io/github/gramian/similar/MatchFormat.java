package io.github.gramian.similar;

import io.github.gramian.cli.model.PredictionFormat;
import io.github.gramian.json.internal.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How photographs that were found are printed, one line each. */
enum MatchFormat {
    /** For people. */
    TEXT {
        @Override
        String line(Map<String, Object> members) {
            return members.values().stream().map(MatchFormat::word).collect(Collectors.joining("  "));
        }
    },
    /** An object of JSON per line. */
    JSONL {
        @Override
        String line(Map<String, Object> members) {
            return Json.text(members);
        }
    },
    /** A table as RFC 4180 describes it, with names of the columns in the first line. */
    CSV {
        @Override
        String header(List<String> names) {
            return String.join(",", names);
        }

        @Override
        String line(Map<String, Object> members) {
            return members.values().stream()
                    .map(value -> PredictionFormat.quoted(word(value)))
                    .collect(Collectors.joining(","));
        }
    },
    /** A page with thumbnails. */
    HTML {
        @Override
        String line(Map<String, Object> members) {
            throw new IllegalStateException("a page has no lines");
        }
    };

    /** A line before all others; empty for none. */
    String header(List<String> names) {
        return "";
    }

    /** One result, its members in order. */
    abstract String line(Map<String, Object> members);

    private static String word(Object value) {
        return value instanceof Number number
                ? String.format(Locale.ROOT, "%.4f", number.doubleValue())
                : value.toString();
    }

    /** All lines of some results. */
    String lines(List<String> names, List<List<Object>> rows) {
        StringBuilder text = new StringBuilder();
        String header = header(names);
        if (!header.isEmpty()) {
            text.append(header).append('\n');
        }
        for (List<Object> row : rows) {
            Map<String, Object> members = new LinkedHashMap<>();
            for (int i = 0; i < row.size(); i++) {
                members.put(names.get(i), row.get(i));
            }
            text.append(line(members)).append('\n');
        }
        return text.toString();
    }
}
