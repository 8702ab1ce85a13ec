package io.github.gramian.studio.project.internal;

import io.github.gramian.label.internal.LabelsFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The labels of photographs by their numbers, in step with the labels file, and what can be undone. Not for several threads. */
final class LabelBook {

    /** A photograph without a label. */
    static final int NONE = -1;

    private static final int MAX_UNDO = 1000;
    private static final int MAX_CLASSES = 1000;

    private final Photographs photographs;
    private final LabelsFile file;
    private final List<String> classes = new ArrayList<>();
    private final int[] labels;
    private final Deque<Map<Integer, Integer>> undo = new ArrayDeque<>();

    LabelBook(Photographs photographs, LabelsFile file) {
        this.photographs = photographs;
        this.file = file;
        this.labels = new int[photographs.count()];
        Arrays.fill(labels, NONE);
        Map<String, String> known = file.labels();
        known.values().stream().distinct().sorted().forEach(classes::add);
        known.forEach((path, label) -> {
            int number = photographs.number(path);
            if (number >= 0) {
                labels[number] = classes.indexOf(label);
            }
        });
    }

    List<String> classes() {
        return List.copyOf(classes);
    }

    int[] labels() {
        return labels.clone();
    }

    int label(int photograph) {
        return labels[photograph];
    }

    /** The group of each photograph that the file names one for. */
    Map<String, String> groups() {
        return file.groups();
    }

    /** Number of photographs of each class. */
    int[] counts() {
        int[] counts = new int[classes.size()];
        for (int label : labels) {
            if (label != NONE) {
                counts[label]++;
            }
        }
        return counts;
    }

    boolean canUndo() {
        return !undo.isEmpty();
    }

    boolean isConfirmed(int photograph) {
        return file.isConfirmed(photographs.path(photograph));
    }

    /** Stores a label, or removes the labels if it is empty. When this returns, they are on the disk. */
    void put(List<Integer> images, String label) throws IOException {
        String name = label.isBlank() ? "" : LabelsFile.checked(label);
        if (!name.isEmpty() && !classes.contains(name) && classes.size() >= MAX_CLASSES) {
            throw new IllegalArgumentException("there may be at most " + MAX_CLASSES + " classes");
        }
        Map<String, String> changes = new LinkedHashMap<>();
        Map<Integer, Integer> before = new LinkedHashMap<>();
        for (int image : images) {
            changes.put(photographs.path(image), name);
            before.put(image, labels[image]);
        }
        if (changes.isEmpty()) {
            return;
        }
        file.put(changes);
        int index = name.isEmpty() ? NONE : number(name);
        before.keySet().forEach(image -> labels[image] = index);
        undo.push(before);
        if (undo.size() > MAX_UNDO) {
            undo.removeLast();
        }
    }

    private int number(String name) {
        if (!classes.contains(name)) {
            classes.add(name);
        }
        return classes.indexOf(name);
    }

    /** Gives photographs the labels that they had before the latest change, by new lines; returns their numbers. */
    List<Integer> undo() throws IOException {
        if (undo.isEmpty()) {
            return List.of();
        }
        Map<Integer, Integer> before = undo.element();
        Map<String, String> changes = new LinkedHashMap<>();
        before.forEach((image, label) -> changes.put(photographs.path(image), label == NONE ? "" : classes.get(label)));
        file.put(changes);
        undo.pop();
        before.forEach((image, label) -> labels[image] = label);
        return List.copyOf(before.keySet());
    }

    void close() throws IOException {
        file.close();
    }
}
