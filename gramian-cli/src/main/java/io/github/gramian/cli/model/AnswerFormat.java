package io.github.gramian.cli.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.model.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How the answers of a model are printed, a line an image. */
public enum AnswerFormat {
    /** For people. */
    TEXT {
        @Override
        String line(Answer answer, List<String> classes, int top) {
            if (!answer.accepted()) {
                return answer.file() + ": rejected: " + answer.rejected();
            }
            return answer.file() + ": "
                    + answer.top(top).stream()
                            .map(k ->
                                    String.format(Locale.ROOT, "%s %.1f %%", classes.get(k), 100 * answer.numbers()[k]))
                            .collect(Collectors.joining(", "));
        }
    },
    /** An object of JSON a line. */
    JSONL {
        @Override
        String line(Answer answer, List<String> classes, int top) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("file", answer.file());
            String rejected = answer.rejected();
            if (rejected != null) {
                line.put("rejected", rejected);
            } else {
                line.put("class", classes.get(answer.best()));
                line.put("probability", answer.confidence());
                line.put("top", ranked(answer, classes, top));
            }
            try {
                return JSON.writeValueAsString(line);
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("plain maps always become JSON", impossible);
            }
        }

        private List<Map<String, Object>> ranked(Answer answer, List<String> classes, int top) {
            List<Map<String, Object>> ranked = new ArrayList<>();
            for (int k : answer.top(top)) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("class", classes.get(k));
                one.put("probability", answer.numbers()[k]);
                ranked.add(one);
            }
            return ranked;
        }
    },
    /** A table as RFC 4180 describes it, with names of the columns in the first line. */
    CSV {
        @Override
        String header(int top) {
            StringBuilder header = new StringBuilder("file");
            for (int rank = 1; rank <= top; rank++) {
                header.append(",class").append(rank).append(",probability").append(rank);
            }
            return header.append(",rejected").toString();
        }

        @Override
        String line(Answer answer, List<String> classes, int top) {
            List<String> cells = new ArrayList<>(List.of(answer.file()));
            for (int k : answer.top(top)) {
                cells.add(classes.get(k));
                cells.add(Float.toString(answer.numbers()[k]));
            }
            while (cells.size() < 1 + 2 * top) {
                cells.add("");
            }
            cells.add(answer.accepted() ? "" : String.valueOf(answer.rejected()));
            return cells.stream().map(AnswerFormat::quoted).collect(Collectors.joining(","));
        }
    };

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A line before all others; empty for none. */
    String header(int top) {
        return "";
    }

    /** One answer with its most probable classes. */
    abstract String line(Answer answer, List<String> classes, int top);

    /** A cell; quoted where a comma or a quote is in it. Whoever prints it shows line breaks as escapes. */
    public static String quoted(String cell) {
        String harmless = isFormula(cell) ? "'" + cell : cell;
        return harmless.matches("(?s).*[,\"].*") ? '"' + harmless.replace("\"", "\"\"") + '"' : harmless;
    }

    /** Spreadsheets compute what begins so, whoever named the file; an apostrophe makes it text. */
    private static boolean isFormula(String cell) {
        return cell.matches("(?s)[=+@\\-\\t\\r\\n].*") && !cell.matches("[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");
    }
}
