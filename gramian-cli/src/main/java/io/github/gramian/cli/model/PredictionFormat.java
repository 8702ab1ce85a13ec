package io.github.gramian.cli.model;

import io.github.gramian.eval.Prediction;
import io.github.gramian.json.internal.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How predictions are printed, one line per image. */
public enum PredictionFormat {
    /** For people. */
    TEXT {
        @Override
        String line(Prediction prediction, int top) {
            return prediction.image() + ": "
                    + prediction
                            .rejection()
                            .map(reason -> "rejected: " + reason)
                            .orElseGet(() -> prediction.top(top).stream()
                                    .map(one -> String.format(
                                            Locale.ROOT, "%s %.1f %%", one.label(), 100 * one.probability()))
                                    .collect(Collectors.joining(", ")));
        }
    },
    /** An object of JSON a line. */
    JSONL {
        @Override
        String line(Prediction prediction, int top) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("file", prediction.image());
            prediction.rejection().ifPresent(reason -> line.put("rejected", reason));
            if (prediction.rejection().isEmpty()) {
                line.put("class", prediction.label());
                line.put("probability", prediction.probability(prediction.predicted()));
                line.put(
                        "top", prediction.top(top).stream().map(this::candidate).toList());
            }
            return Json.text(line);
        }

        private Map<String, Object> candidate(Prediction.Candidate one) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("class", one.label());
            fields.put("probability", one.probability());
            return fields;
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
        String line(Prediction prediction, int top) {
            List<String> cells = new ArrayList<>(List.of(prediction.image()));
            for (Prediction.Candidate one : prediction.top(top)) {
                cells.add(one.label());
                cells.add(Float.toString(one.probability()));
            }
            while (cells.size() < 1 + 2 * top) {
                cells.add("");
            }
            cells.add(prediction.rejection().orElse(""));
            return cells.stream().map(PredictionFormat::quoted).collect(Collectors.joining(","));
        }
    };

    /** A line before all others; empty for none. */
    String header(int top) {
        return "";
    }

    /** One prediction with its most probable classes. */
    abstract String line(Prediction prediction, int top);

    /** A cell; quoted where a comma or a quote is in it. The caller prints line breaks as escapes. */
    public static String quoted(String cell) {
        String harmless = isFormula(cell) ? "'" + cell : cell;
        return harmless.matches("(?s).*[,\"].*") ? '"' + harmless.replace("\"", "\"\"") + '"' : harmless;
    }

    /** Spreadsheets evaluate cells that begin so, and file names may be untrusted. An apostrophe makes the cell a string. */
    private static boolean isFormula(String cell) {
        return cell.matches("(?s)[=+@\\-\\t\\r\\n].*") && !cell.matches("[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");
    }
}
