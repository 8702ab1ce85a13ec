package io.github.gramian.eval.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Accuracies of a model on corrupted copies of the same images.
 *
 * @param images number of images
 * @param clean accuracy on the images as they are
 * @param corruptions accuracy on each corruption at each severity; at least one
 */
public record Robustness(int images, double clean, List<Cell> corruptions) {

    /**
     * The accuracy on one corruption at one severity.
     *
     * @param name of the corruption
     * @param severity 1..5
     * @param accuracy 0..1
     */
    public record Cell(String name, int severity, double accuracy) {}

    public Robustness {
        corruptions = List.copyOf(corruptions);
        if (corruptions.isEmpty()) {
            throw new IllegalArgumentException("robustness needs at least one corruption");
        }
    }

    /** The mean accuracy over all corruptions and severities. */
    public double mean() {
        return mean(corruptions);
    }

    /** The mean accuracy over the severities of one corruption. */
    public double meanOf(String name) {
        return mean(corruptions.stream().filter(cell -> cell.name.equals(name)).toList());
    }

    /** The mean accuracy over the corruptions at one severity. */
    public double meanOf(int severity) {
        return mean(
                corruptions.stream().filter(cell -> cell.severity == severity).toList());
    }

    /** How much accuracy is lost on average, compared with clean images. */
    public double loss() {
        return clean - mean();
    }

    private static double mean(List<Cell> cells) {
        return cells.stream().mapToDouble(Cell::accuracy).average().orElseThrow();
    }

    /** The content of {@code robustness.json}. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("images", images);
        map.put("clean", clean);
        map.put("mean", mean());
        map.put("loss", loss());
        map.put("corruptions", corruptions);
        return map;
    }

    /** The content of {@code robustness.csv}: a header, the clean images as severity 0, then one line per cell. */
    public String csv() {
        StringBuilder text = new StringBuilder("corruption,severity,accuracy\n").append(line("clean", 0, clean));
        corruptions.forEach(cell -> text.append(line(cell.name, cell.severity, cell.accuracy)));
        return text.toString();
    }

    private static String line(String name, int severity, double accuracy) {
        return String.format(Locale.ROOT, "%s,%d,%.6f", name, severity, accuracy) + "\n";
    }
}
