package io.github.gramian.studio.project.internal;

import io.github.gramian.label.internal.LabelsFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The labels of photographs by their numbers, in step with the labels file. Not for several threads. */
final class LabelBook {

    /** A photograph without a label. */
    static final int NONE = -1;

    private static final int MAX_CLASSES = 1000;

    private final Photographs photographs;
    private final LabelsFile file;

    /** In the order of their first use, so that a class keeps its colour. */
    private final List<String> classes;

    private final int[] labels;

    LabelBook(Photographs photographs, LabelsFile file) {
        this.photographs = photographs;
        this.file = file;
        this.classes = new ArrayList<>(file.classes());
        this.labels = new int[photographs.count()];
        Arrays.fill(labels, NONE);
        follow(file.labels().keySet());
    }

    /** Brings the labels of some paths in step with the file; returns the numbers of those that are photographs here. */
    private List<Integer> follow(Collection<String> paths) {
        List<Integer> images = new ArrayList<>();
        for (String path : paths) {
            int image = photographs.number(path);
            if (image >= 0) {
                labels[image] = number(file.label(path));
                images.add(image);
            }
        }
        return images;
    }

    private int number(String name) {
        if (!name.isEmpty() && !classes.contains(name)) {
            classes.add(name);
        }
        return classes.indexOf(name);
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
        return file.canUndo();
    }

    boolean isConfirmed(int photograph) {
        return file.isConfirmed(photographs.path(photograph));
    }

    /** Stores a label, or removes the labels if it is empty. When this returns, they are on the disk. */
    void put(List<Integer> images, String label) throws IOException {
        String name = label.isBlank() ? "" : LabelsFile.checked(label);
        int[] counts = counts();
        boolean used = name.isEmpty() || (classes.contains(name) && counts[classes.indexOf(name)] > 0);
        if (!used && Arrays.stream(counts).filter(n -> n > 0).count() >= MAX_CLASSES) {
            throw new IllegalArgumentException("there may be at most " + MAX_CLASSES + " classes");
        }
        Map<String, String> changes = new LinkedHashMap<>();
        images.forEach(image -> changes.put(photographs.path(image), name));
        file.put(changes);
        follow(changes.keySet());
    }

    /** Gives photographs the labels that they had before the latest change, by new lines; returns their numbers. */
    List<Integer> undo() throws IOException {
        return follow(file.undo());
    }

    void close() throws IOException {
        file.close();
    }
}
