package io.github.gramian.label.internal;

import io.github.gramian.train.ridge.internal.ComponentRidge;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The labels at one moment, and the classifier that is fitted to them. Never changes. */
final class LabelFit {

    private final int[] labels;
    private final int classes;
    private final int[] labelled;
    private final int[] columns;
    private final int[] present;
    private final int[] predictable;
    private final @Nullable ComponentRidge ridge;

    private LabelFit(ImageSpace space, int[] labels, int[] groups, int classes) {
        this.labels = labels.clone();
        this.classes = classes;
        this.labelled = IntStream.range(0, labels.length)
                .filter(image -> labels[image] != LabelSession.NONE)
                .toArray();
        this.present = IntStream.of(labelled)
                .map(image -> labels[image])
                .distinct()
                .sorted()
                .toArray();
        this.columns = new int[classes];
        Arrays.fill(columns, LabelSession.NONE);
        for (int column = 0; column < present.length; column++) {
            columns[present[column]] = column;
        }
        if (present.length < 2) {
            this.ridge = null;
            this.predictable = new int[0];
        } else {
            ComponentRidge.Labelled rows = new ComponentRidge.Labelled(
                    labelled,
                    IntStream.of(labelled).map(image -> columns[labels[image]]).toArray(),
                    IntStream.of(labelled).map(image -> groups[image]).toArray(),
                    present.length);
            this.ridge = space.with(X -> ComponentRidge.fit(X, rows, LabelCheck.LAMBDAS));
            this.predictable = rows.predictable();
        }
    }

    /** Fits to the labels of some images. */
    static LabelFit of(ImageSpace space, int[] labels, int[] groups, int classes) {
        return new LabelFit(space, labels, groups, classes);
    }

    int label(int image) {
        return labels[image];
    }

    /** The images that have a label, ascending. */
    int[] labelled() {
        return labelled;
    }

    /** Places among the labelled images whose class has images in other groups. */
    int[] predictable() {
        return predictable;
    }

    /** The place of a class among those that have images. */
    int column(int label) {
        return columns[label];
    }

    /** The class at a place among those that have images. */
    int classOf(int column) {
        return present[column];
    }

    /** Empty until images of two classes have labels. */
    Optional<ComponentRidge> ridge() {
        return Optional.ofNullable(ridge);
    }

    double[] probabilities(int image) {
        double[] p = new double[classes];
        if (ridge == null) {
            Arrays.fill(p, 1.0 / Math.max(1, classes));
            return p;
        }
        double[] found = ridge.probabilities(image);
        for (int column = 0; column < found.length; column++) {
            p[present[column]] = found[column];
        }
        return p;
    }

    /** How close the second most probable class of each image is to the most probable one: from 0 to 1. */
    float[] uncertainty() {
        float[] uncertainty = new float[labels.length];
        Arrays.fill(uncertainty, 1);
        if (ridge != null) {
            for (int image = 0; image < labels.length; image++) {
                uncertainty[image] = 1 - margin(ridge.probabilities(image));
            }
        }
        return uncertainty;
    }

    private static float margin(double[] probabilities) {
        double first = 0;
        double second = 0;
        for (double p : probabilities) {
            if (p > first) {
                second = first;
                first = p;
            } else {
                second = Math.max(second, p);
            }
        }
        return (float) (first - second);
    }
}
