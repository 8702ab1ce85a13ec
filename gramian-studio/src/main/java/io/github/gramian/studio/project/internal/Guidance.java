package io.github.gramian.studio.project.internal;

import io.github.gramian.label.internal.LabelSession;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** What the labels so far say about the photographs: suggestions, the accuracy, clusters, suspicious labels and the map. */
public final class Guidance {

    private final LabelSession session;
    private final int[] rows;
    private final int[] numbers;
    private final LabelBook book;
    private final Object lock;
    private final List<double[]> curve = new ArrayList<>();

    /**
     * @param rows the session's image of each photograph, or -1
     * @param numbers the photograph of each image of the session
     * @param lock that guards the book
     */
    Guidance(LabelSession session, int[] rows, int[] numbers, LabelBook book, Object lock) {
        this.session = session;
        this.rows = rows.clone();
        this.numbers = numbers.clone();
        this.book = book;
        this.lock = lock;
    }

    /** Photographs to label next with their most probable classes. */
    public List<Map<String, Object>> next(int count) {
        return IntStream.of(session.next(count))
                .mapToObj(row -> suggestion(row))
                .toList();
    }

    private Map<String, Object> suggestion(int row) {
        double[] probabilities = session.probabilities(row);
        List<String> names;
        synchronized (lock) {
            names = book.classes();
        }
        List<Map<String, Object>> top = IntStream.range(0, Math.min(names.size(), probabilities.length))
                .boxed()
                .sorted((a, b) -> Double.compare(probabilities[b], probabilities[a]))
                .limit(5)
                .map(c -> Map.<String, Object>of("label", names.get(c), "probability", probabilities[c]))
                .toList();
        return Map.of("image", numbers[row], "top", top);
    }

    /** The leave-one-out accuracy with its interval, and how it grew in this session. */
    public Map<String, Object> accuracy() {
        Optional<LabelSession.Accuracy> found = session.accuracy();
        synchronized (lock) {
            found.ifPresent(now -> {
                curve.removeIf(point -> point[0] >= now.images());
                curve.add(new double[] {now.images(), now.value()});
            });
            Map<String, Object> result = new LinkedHashMap<>();
            result.put(
                    "curve",
                    curve.stream().map(point -> List.of(point[0], point[1])).toList());
            found.ifPresent(now -> {
                result.put("value", now.value());
                result.put("lower", now.interval().lower());
                result.put("upper", now.interval().upper());
                result.put("images", now.images());
            });
            return result;
        }
    }

    /** Clusters of photographs that have no label yet, the largest first. */
    public List<List<Integer>> clusters(int k) {
        int[][] found = session.clusters(k);
        int[] labels;
        synchronized (lock) {
            labels = book.labels();
        }
        List<List<Integer>> clusters = new ArrayList<>();
        for (int[] members : found) {
            List<Integer> open = IntStream.of(members)
                    .map(row -> numbers[row])
                    .filter(image -> labels[image] == LabelBook.NONE)
                    .boxed()
                    .toList();
            if (!open.isEmpty()) {
                clusters.add(open);
            }
        }
        clusters.sort((a, b) -> b.size() - a.size());
        return clusters;
    }

    /** Labels that are probably wrong and were not confirmed, with the nearest labelled photographs. */
    public List<Map<String, Object>> suspects() {
        List<LabelSession.Suspect> found = session.suspects();
        synchronized (lock) {
            return found.stream()
                    .filter(suspect -> !book.isConfirmed(numbers[suspect.image()]))
                    .map(suspect -> Map.<String, Object>of(
                            "image", numbers[suspect.image()],
                            "given", book.classes().get(suspect.given()),
                            "suggested", book.classes().get(suspect.suggested()),
                            "score", suspect.score(),
                            "neighbours",
                                    IntStream.of(suspect.neighbours())
                                            .map(row -> numbers[row])
                                            .boxed()
                                            .toList()))
                    .toList();
        }
    }

    /** Two coordinates in 0..10000 per photograph; -1 for one that cannot be read. */
    public List<Integer> map() {
        float[][] points = session.map();
        List<Integer> flat = new ArrayList<>();
        float[] low = {Float.MAX_VALUE, Float.MAX_VALUE};
        float[] high = {-Float.MAX_VALUE, -Float.MAX_VALUE};
        for (float[] point : points) {
            for (int axis = 0; axis < 2; axis++) {
                low[axis] = Math.min(low[axis], point[axis]);
                high[axis] = Math.max(high[axis], point[axis]);
            }
        }
        for (int i = 0; i < rows.length; i++) {
            for (int axis = 0; axis < 2; axis++) {
                float width = Math.max(high[axis] - low[axis], 1e-20f);
                flat.add(rows[i] < 0 ? -1 : Math.round(10_000 * (points[rows[i]][axis] - low[axis]) / width));
            }
        }
        return flat;
    }
}
