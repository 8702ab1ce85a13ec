package io.github.gramian.cli.model;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** How predictions are printed, one line per image. */
public enum PredictionFormat {
    /** For people. */
    TEXT {
        @Override
        String line(Prediction prediction, PredictionColumns shown) {
            return prediction.image() + ": "
                    + prediction
                            .rejection()
                            .map(reason -> "rejected: " + reason)
                            .orElseGet(() -> shown.isUnknown(prediction)
                                    ? unknown(prediction, shown)
                                    : known(prediction, shown) + set(prediction, shown));
        }

        private String known(Prediction prediction, PredictionColumns shown) {
            return shown.single()
                    ? shown.label(prediction) + novelty(prediction) + region(prediction)
                    : candidates(prediction, shown) + (shown.sorted() ? novelty(prediction) : "");
        }

        private String candidates(Prediction prediction, PredictionColumns shown) {
            return prediction.top(shown.top()).stream()
                    .map(one -> Text.format("%s %.1f %%", one.label(), 100 * one.probability()))
                    .collect(Collectors.joining(", "));
        }

        private String unknown(Prediction prediction, PredictionColumns shown) {
            return shown.label(prediction)
                    + novelty(prediction)
                    + (shown.top() > 1 ? ", most probable: " + candidates(prediction, shown) : "");
        }

        private String novelty(Prediction prediction) {
            return prediction.novelty().isEmpty()
                    ? ""
                    : Text.format(" (novelty %.4f)", prediction.novelty().getAsDouble());
        }

        private String region(Prediction prediction) {
            return prediction
                    .region()
                    .map(found -> Text.format(
                            " at %.0f..%.0f %% from the left, %.0f..%.0f %% from the top",
                            100 * found.x(),
                            100 * (found.x() + found.width()),
                            100 * found.y(),
                            100 * (found.y() + found.height())))
                    .orElse("");
        }

        private String set(Prediction prediction, PredictionColumns shown) {
            return shown.certainty().coverage() == null ? "" : "; one of: " + String.join(", ", shown.set(prediction));
        }
    },
    /** An object of JSON a line. */
    JSONL {
        @Override
        String line(Prediction prediction, PredictionColumns shown) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("file", prediction.image());
            prediction.rejection().ifPresent(reason -> line.put("rejected", reason));
            if (prediction.rejection().isEmpty()) {
                line.put("class", shown.label(prediction));
                if (!shown.defects()) {
                    addProbabilities(line, prediction, shown);
                }
                if (shown.certainty().coverage() != null) {
                    line.put("set", shown.set(prediction));
                }
                prediction.novelty().ifPresent(novelty -> line.put("novelty", novelty));
                prediction.region().ifPresent(region -> line.put("region", region));
            }
            return Json.text(line);
        }

        private void addProbabilities(Map<String, Object> line, Prediction prediction, PredictionColumns shown) {
            if (!shown.isUnknown(prediction)) {
                line.put("probability", prediction.probability(prediction.predicted()));
            }
            line.put(
                    "top",
                    prediction.top(shown.top()).stream().map(this::candidate).toList());
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
        String header(PredictionColumns shown) {
            StringBuilder header = new StringBuilder(shown.certainty().unknown() == null ? "file" : "file,class");
            for (int rank = 1; rank <= shown.top(); rank++) {
                header.append(",class").append(rank).append(",probability").append(rank);
            }
            return header.append(",rejected")
                    .append(shown.certainty().coverage() == null ? "" : ",set")
                    .append(shown.novelty() ? ",novelty" : "")
                    .toString();
        }

        @Override
        String line(Prediction prediction, PredictionColumns shown) {
            List<String> cells = new ArrayList<>(List.of(prediction.image()));
            if (shown.certainty().unknown() != null) {
                cells.add(prediction.rejection().isPresent() ? "" : shown.label(prediction));
            }
            int columns = cells.size() + 2 * shown.top();
            for (Prediction.Candidate one : prediction.top(shown.top())) {
                cells.add(one.label());
                cells.add(Float.toString(one.probability()));
            }
            while (cells.size() < columns) {
                cells.add("");
            }
            cells.add(prediction.rejection().orElse(""));
            if (shown.certainty().coverage() != null) {
                cells.add(prediction.rejection().isPresent() ? "" : String.join("|", shown.set(prediction)));
            }
            if (shown.novelty()) {
                cells.add(
                        prediction.novelty().isPresent()
                                ? Double.toString(prediction.novelty().getAsDouble())
                                : "");
            }
            return cells.stream().map(PredictionFormat::quoted).collect(Collectors.joining(","));
        }
    };

    /** A line before all others; empty for none. */
    String header(PredictionColumns shown) {
        return "";
    }

    /** One prediction with its most probable classes. */
    abstract String line(Prediction prediction, PredictionColumns shown);

    /** A cell; quoted where a comma or a quote is in it. The caller prints line breaks as escapes. */
    public static String quoted(String cell) {
        String harmless = isFormula(cell) ? "'" + cell : cell;
        return harmless.matches("(?s).*[,\"].*") ? '"' + harmless.replace("\"", "\"\"") + '"' : harmless;
    }

    /** Spreadsheets evaluate cells that begin so, and file names may be untrusted. An apostrophe makes the cell a string. */
    private static boolean isFormula(String cell) {
        return cell.matches("(?s)[=+@\\-\\t\\r\\n].*") && !cell.matches("[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");
    }

    /**
     * What is printed of a prediction.
     *
     * @param top number of most probable classes
     * @param certainty whether there are sets and unknown images
     * @param novelty whether the model computes the novelty of images
     * @param sorted whether the images are sorted by novelty
     * @param single whether a class has no probability: the model has one class, or knows good parts only
     * @param defects whether the model knows good parts only
     */
    record PredictionColumns(
            int top, CertaintyRequest certainty, boolean novelty, boolean sorted, boolean single, boolean defects) {

        private static final String UNKNOWN = "unknown";

        /** Whether the image is too unlike the training images to have a class. */
        boolean isUnknown(Prediction prediction) {
            return certainty.isUnknown(prediction.novelty());
        }

        /** The predicted class, or that there is none. */
        String label(Prediction prediction) {
            return isUnknown(prediction) ? UNKNOWN : prediction.label();
        }

        /** The names of the classes in the set. */
        List<String> set(Prediction prediction) {
            Double coverage = certainty.coverage();
            if (coverage == null) {
                throw new IllegalStateException("no set was requested");
            }
            return prediction.set(coverage).stream()
                    .map(Prediction.Candidate::label)
                    .toList();
        }
    }
}
