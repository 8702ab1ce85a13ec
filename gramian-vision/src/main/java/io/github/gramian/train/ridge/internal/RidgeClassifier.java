package io.github.gramian.train.ridge.internal;

import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.train.descriptor.internal.Descriptors;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A linear classifier in closed form: ridge regression on class indicators (1 for a row's class, 0 for the others). The
 * penalty and the temperature of the probabilities are chosen on rows that were not trained on: by leaving out, exactly
 * and without refitting, or by validation rows.
 *
 * <p>A row is an image: several crops of one image are not independent, so their mean is the row; otherwise leave-one-out is
 * too optimistic. The same rows, config and number of threads give the same bits.
 */
public final class RidgeClassifier {

    /** The indicators are one array of less than 2 GB. */
    private static final long MAX_TARGETS = 1L << 27;

    private final Method method;
    private final Task task;
    private final Consumer<String> progress;

    /**
     * How ridge regression on n rows of d dimensions is solved. All give the same weights; they differ in what they cost.
     *
     * <table>
     * <caption>The rule</caption>
     * <tr><td>n ≤ {@link #MAX_DUAL_ROWS}</td><td>{@link #DUAL}</td></tr>
     * <tr><td>otherwise, if 40·d² bytes are within {@code ridge.memoryBudget}</td><td>{@link #PRIMAL}</td></tr>
     * <tr><td>otherwise</td><td>{@link #CONJUGATE_GRADIENTS}</td></tr>
     * </table>
     */
    public enum Method {
        /** From the n × n matrix of inner products: about 6 n² doubles of memory, O(n³) time. */
        DUAL,
        /** From the d × d matrix of second moments: about 5 d² doubles of memory, O(n d² + d³) time. */
        PRIMAL,
        /** By passes over the rows: O(n d c) time for each pass and penalty, with c classes. */
        CONJUGATE_GRADIENTS;

        /** Beyond this the n × n matrices take more than 7 GB, and the decomposition many minutes. */
        public static final int MAX_DUAL_ROWS = 12_000;

        /** The moments, their eigenvectors and the memory in which they are computed. */
        private static final double MATRICES = 5;

        /** The method for a number of rows, those for training and validation together. */
        static Method of(long rows, long length, RidgeConfig config) {
            if (rows <= MAX_DUAL_ROWS) {
                return DUAL;
            }
            double moments = MATRICES * Double.BYTES * length * length;
            return moments <= config.memoryBudget() ? PRIMAL : CONJUGATE_GRADIENTS;
        }

        /** Whether what a row's prediction would be without that row is known exactly. */
        boolean leavesOut() {
            return this != CONJUGATE_GRADIENTS;
        }

        /** A description of the method, for people. */
        String sentence(long rows, long length) {
            return String.format(
                    Locale.ROOT,
                    switch (this) {
                        case DUAL -> "the closed form is solved from the inner products of %,d images";
                        case PRIMAL ->
                            "the closed form for %,d images is solved from the moments of their %,d dimensions";
                        case CONJUGATE_GRADIENTS ->
                            "the closed form for %,d images of %,d dimensions is solved by conjugate gradients";
                    },
                    rows,
                    length);
        }
    }

    /**
     * Descriptors with the class of each.
     *
     * @param groups number of the group of each row; rows of a group are left out together
     * @param shared whether the numbers mean the same in other rows that are added
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Rows(Descriptors rows, int[] labels, int[] groups, boolean shared) {

        /** Every row stands alone. */
        Rows(Descriptors rows, int[] labels) {
            this(rows, labels, IntStream.range(0, labels.length).toArray(), false);
        }

        int count() {
            return labels.length;
        }

        Rows then(Rows other) {
            boolean same = shared && other.shared;
            int first = same ? 0 : IntStream.of(groups).max().orElse(-1) + 1;
            return new Rows(
                    rows.then(other.rows),
                    joined(labels, other.labels),
                    joined(
                            groups,
                            IntStream.of(other.groups)
                                    .map(group -> first + group)
                                    .toArray()),
                    same);
        }

        private static int[] joined(int[] first, int[] second) {
            return IntStream.concat(IntStream.of(first), IntStream.of(second)).toArray();
        }
    }

    /**
     * What is fitted to rows.
     *
     * @param classes number of classes
     * @param weights of the classes
     */
    record Task(int classes, RidgeConfig config, Weights weights) {

        /** Every row counts the same. */
        Task(int classes, RidgeConfig config) {
            this(classes, config, Weights.NONE);
        }

        /** The weight of each class, by the labels of the rows that are fitted to. */
        double[] ofClass(int[] labels) {
            return weights.of(labels, classes);
        }

        Judge judge(int[] labels, double[] ofClass) {
            return new Judge(labels, classes, Judge.weights(labels, ofClass));
        }
    }

    /** @param progress takes a line now and then where a fit is long */
    RidgeClassifier(Method method, Task task, Consumer<String> progress) {
        this.method = method;
        this.task = task;
        this.progress = progress;
    }

    /** Chooses by leaving out one row at a time; by conjugate gradients, by leaving out every tenth. */
    public static RidgeFit fit(Descriptors rows, int[] labels, int classes, RidgeConfig config) {
        Method method = Method.of(rows.count(), rows.length(), config);
        return new RidgeClassifier(method, new Task(classes, config), line -> {}).leavingOut(new Rows(rows, labels));
    }

    /** Chooses by validation rows. */
    public static RidgeFit fit(
            Descriptors training,
            int[] labels,
            Descriptors validation,
            int[] validationLabels,
            int classes,
            RidgeConfig config) {
        Method method = Method.of(training.count() + validation.count(), training.length(), config);
        return new RidgeClassifier(method, new Task(classes, config), line -> {})
                .validated(new Rows(training, labels), new Rows(validation, validationLabels));
    }

    /** Chooses by leaving out. */
    RidgeFit leavingOut(Rows rows) {
        check("training", rows);
        return switch (method) {
            case DUAL -> DualRidge.leavingOut(rows, task);
            case PRIMAL -> PrimalRidge.leavingOut(rows, task);
            case CONJUGATE_GRADIENTS -> new IterativeRidge(task, progress).leavingOut(rows);
        };
    }

    /** Chooses by validation rows. */
    RidgeFit validated(Rows training, Rows validation) {
        check("training", training);
        checkLabels("validation", validation);
        return switch (method) {
            case DUAL -> DualRidge.validated(training, validation, task);
            case PRIMAL -> PrimalRidge.validated(training, validation, task);
            case CONJUGATE_GRADIENTS -> new IterativeRidge(task, progress).validated(training, validation);
        };
    }

    /**
     * Fits with the only penalty of the config.
     *
     * @param temperature null where it is to be found, by leaving out
     */
    RidgeFit again(Rows rows, @Nullable Double temperature) {
        return method.leavesOut() || temperature == null
                ? leavingOut(rows)
                : new IterativeRidge(task, progress).fit(rows, temperature);
    }

    private void check(String what, Rows rows) {
        checkLabels(what, rows);
        if (rows.count() < 2) {
            throw new IllegalArgumentException(
                    "training needs at least 2 images but has " + rows.count() + "; add images");
        }
        if (task.classes > 1 && Arrays.stream(rows.labels).distinct().count() < 2) {
            throw new IllegalArgumentException("all " + rows.count() + " training images are of class number "
                    + rows.labels[0] + "; add images of at least one other class");
        }
    }

    private void checkLabels(String what, Rows rows) {
        if (rows.rows.count() < 1 || rows.rows.count() != rows.count()) {
            throw new IllegalArgumentException(
                    "expected one label for each " + what + " image, of which there must be some, but there are "
                            + rows.rows.count() + " images and " + rows.count() + " labels");
        }
        if ((long) rows.count() * task.classes > MAX_TARGETS) {
            throw new IllegalArgumentException(rows.count() + " images of " + task.classes
                    + " classes have too many targets for the closed form; use the softmax classifier (refit: never)");
        }
        for (int label : rows.labels) {
            if (label < 0 || label >= task.classes) {
                throw new IllegalArgumentException(
                        "labels of " + what + " images must lie in 0.." + (task.classes - 1) + " but one is " + label);
            }
        }
    }
}
