package io.github.gramian.label.internal;

import io.github.gramian.dataset.layout.internal.LabelHistory;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the lines of a {@link LabelHistory} say now: labels, which of them were confirmed, and what takes each change back. It
 * follows from the lines alone, so that a restart changes nothing. A change is a map from each path to its labels, one line each.
 */
final class LabelState {

    private static final int MAX_UNDO = 1000;

    private final Map<String, String> labels = new LinkedHashMap<>();
    private final Map<String, String> groups = new HashMap<>();
    private final Set<String> confirmed = new HashSet<>();
    private final Set<String> classes = new LinkedHashSet<>();

    /** What takes each change back, the latest first. */
    private final Deque<Map<String, List<String>>> undo = new ArrayDeque<>();

    private LabelState() {}

    /**
     * Follows all lines. Those with the same time and person are one change.
     *
     * @param by the person whose changes can be taken back, up to the latest one of somebody else or without a time
     */
    static LabelState of(LabelHistory history, String by) {
        LabelState state = new LabelState();
        List<LabelHistory.Entry> entries = history.chronological();
        for (int from = 0, to; from < entries.size(); from = to) {
            LabelHistory.Entry first = entries.get(from);
            Map<String, List<String>> change = new LinkedHashMap<>();
            for (to = from; to < entries.size() && isSameChange(first, entries.get(to)); to++) {
                LabelHistory.Entry entry = entries.get(to);
                state.groups.put(entry.path(), entry.group());
                change.computeIfAbsent(entry.path(), path -> new ArrayList<>()).add(entry.label());
            }
            state.follow(change);
            if (!first.by().equals(by) || first.when().equals(Instant.EPOCH)) {
                state.undo.clear();
            }
        }
        return state;
    }

    private static boolean isSameChange(LabelHistory.Entry one, LabelHistory.Entry other) {
        return one.when().equals(other.when()) && one.by().equals(other.by());
    }

    /** The change that takes the latest one back; empty if there is none. */
    Map<String, List<String>> back() {
        return undo.isEmpty() ? Map.of() : undo.element();
    }

    /** A change in which each path loses its label before another line follows takes the latest one back: no other is written so. */
    void follow(Map<String, List<String>> change) {
        Map<String, List<String>> back = new LinkedHashMap<>();
        change.forEach((path, lines) -> {
            String before = label(path);
            back.put(path, isConfirmed(path) ? List.of("", before, before) : List.of("", before));
            lines.forEach(label -> store(path, label));
        });
        if (change.values().stream()
                .allMatch(lines -> lines.size() > 1 && lines.get(0).isEmpty())) {
            undo.poll();
            return;
        }
        undo.push(back);
        if (undo.size() > MAX_UNDO) {
            undo.removeLast();
        }
    }

    private void store(String path, String label) {
        String before = label(path);
        if (label.isEmpty()) {
            labels.remove(path);
        } else {
            labels.put(path, label);
            classes.add(label);
        }
        if (!label.isEmpty() && label.equals(before)) {
            confirmed.add(path);
        } else {
            confirmed.remove(path);
        }
    }

    /** Empty if a path has none. */
    String label(String path) {
        return labels.getOrDefault(path, "");
    }

    Map<String, String> labels() {
        return Map.copyOf(labels);
    }

    /** All labels that were ever given, in the order of their first use. */
    List<String> classes() {
        return List.copyOf(classes);
    }

    /** Empty if a path has none. */
    String group(String path) {
        return groups.getOrDefault(path, "");
    }

    Map<String, String> groups() {
        return Map.copyOf(groups);
    }

    /** Whether the label of a path was given twice in a row. */
    boolean isConfirmed(String path) {
        return confirmed.contains(path);
    }
}
