package io.github.gramian.studio.project.internal;

import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.label.internal.LabelSession;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** What the labels so far say about the photographs: suggestions, the accuracy, clusters, suspicious labels and the map. */
public final class Guidance {

    /** Photographs of a cluster, from its centre, that decide its suggestion. */
    private static final int CLUSTER_SAMPLE = 24;

    /** Each point needs a fit. */
    private static final int CURVE_POINTS = 20;

    private final LabelSession session;
    private final int[] rows;
    private final int[] numbers;
    private final LabelBook book;
    private final Object lock;
    private final List<double[]> curve = new ArrayList<>();
    private volatile int[] unlike = {};

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

    /**
     * Gives the session the labels of some lines one after the other, and remembers the accuracy at some of them.
     *
     * @param classes names of the session's classes
     * @param photograph number of a path, or -1
     */
    void replay(List<LabelHistory.Entry> lines, List<String> classes, ToIntFunction<String> photograph) {
        int step = Math.max(1, lines.size() / CURVE_POINTS);
        for (int i = 0; i < lines.size(); i++) {
            int image = photograph.applyAsInt(lines.get(i).path());
            if (image >= 0 && rows[image] >= 0) {
                int label = classes.indexOf(lines.get(i).label());
                if (label < 0) {
                    session.unlabel(rows[image]);
                } else {
                    session.label(rows[image], label);
                }
            }
            if (i % step == step - 1) {
                session.accuracy().ifPresent(this::remember);
            }
        }
    }

    private void remember(LabelSession.Accuracy now) {
        curve.removeIf(point -> point[0] >= now.images());
        curve.add(new double[] {now.images(), now.value()});
    }

    /**
     * Photographs to label next with their most probable classes. The first one may be of a class that has no label yet, if the
     * latest look for one found some.
     */
    public List<Map<String, Object>> next(int count) {
        int[] found = session.next(count);
        OptionalInt first = IntStream.of(unlike)
                .filter(row -> session.label(row) == LabelSession.NONE)
                .findFirst();
        if (first.isEmpty() || stillUnlike().isEmpty()) {
            return IntStream.of(found).mapToObj(row -> suggestion(row, false)).toList();
        }
        int fresh = first.getAsInt();
        return IntStream.concat(
                        IntStream.of(fresh),
                        IntStream.of(found).filter(row -> row != fresh).limit(count - 1L))
                .mapToObj(row -> suggestion(row, row == fresh))
                .toList();
    }

    /** Looks for photographs that fit none of the classes, the one nearest to their centre first; empty if there are none. */
    public List<Integer> newClass() {
        unlike = session.newClass().orElse(new int[0]);
        return stillUnlike();
    }

    /** As soon as one of them has a label, the others are like a known class. */
    private List<Integer> stillUnlike() {
        int[] rowsOfNone = unlike;
        return IntStream.of(rowsOfNone).allMatch(row -> session.label(row) == LabelSession.NONE)
                ? IntStream.of(rowsOfNone).map(row -> numbers[row]).boxed().toList()
                : List.of();
    }

    private Map<String, Object> suggestion(int row, boolean fresh) {
        return Map.of("image", numbers[row], "fresh", fresh, "top", top(session.probabilities(row)));
    }

    /** The most probable classes that have photographs. */
    private List<Map<String, Object>> top(double[] probabilities) {
        List<String> names;
        int[] counts;
        synchronized (lock) {
            names = book.classes();
            counts = book.counts();
        }
        return IntStream.range(0, Math.min(names.size(), probabilities.length))
                .filter(c -> counts[c] > 0)
                .boxed()
                .sorted((a, b) -> Double.compare(probabilities[b], probabilities[a]))
                .limit(5)
                .map(c -> Map.<String, Object>of("label", names.get(c), "probability", probabilities[c]))
                .toList();
    }

    /** The most probable classes of some photographs together. */
    private List<Map<String, Object>> topOfAll(List<Integer> images) {
        double[] sum = new double[0];
        List<Integer> few = images.subList(0, Math.min(images.size(), CLUSTER_SAMPLE));
        for (int image : few) {
            double[] one = session.probabilities(rows[image]);
            sum = sum.length == 0 ? new double[one.length] : sum;
            for (int c = 0; c < Math.min(one.length, sum.length); c++) {
                sum[c] += one[c] / few.size();
            }
        }
        return top(sum);
    }

    /** The leave-one-out accuracy with its interval, and how it grew. */
    public Map<String, Object> accuracy() {
        Optional<LabelSession.Accuracy> found = session.accuracy();
        int suspects = suspects().size();
        synchronized (lock) {
            found.ifPresent(this::remember);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put(
                    "curve",
                    curve.stream().map(point -> List.of(point[0], point[1])).toList());
            found.ifPresent(now -> {
                result.put("value", now.value());
                result.put("lower", now.interval().lower());
                result.put("upper", now.interval().upper());
                result.put("images", now.images());
                result.put("suspects", suspects);
            });
            return result;
        }
    }

    /** Clusters of photographs that have no label yet, the largest first, with the most probable classes of each. */
    public List<Map<String, Object>> clusters(int k) {
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
        return clusters.stream()
                .map(images -> Map.<String, Object>of("images", images, "top", topOfAll(images)))
                .toList();
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
