package io.github.gramian.train.ridge.internal;

import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.train.descriptor.internal.Descriptors;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A linear classifier in closed form: ridge regression on class indicators (1 for a row's class, 0 for the others). The
 * penalty and the temperature of the probabilities are chosen on rows that were not trained on: by leaving out, exactly
 * and without refitting, or by validation rows.
 *
 * <p>A row is an image: several crops of one image are not independent, so their mean is the row; otherwise leave-one-out is
 * too optimistic.
 *
 * <p>{@link RidgeMethod} determines how it is solved: for few rows in the dual, as below, for more by {@link PrimalRidge} or {@link
 * IterativeRidge}. The same rows, config and number of threads give the same bits.
 */
public final class RidgeClassifier {

    /** The indicators are one array of less than 2 GB. */
    private static final long MAX_TARGETS = 1L << 27;

    private final RidgeMethod method;
    private final int classes;
    private final RidgeConfig config;
    private final Weights weights;
    private final Consumer<String> progress;

    /**
     * @param weights of the classes
     * @param progress takes a line now and then where a fit is long
     */
    RidgeClassifier(RidgeMethod method, int classes, RidgeConfig config, Weights weights, Consumer<String> progress) {
        this.weights = weights;
        this.method = method;
        this.classes = classes;
        this.config = config;
        this.progress = progress;
    }

    /** Chooses by leaving out one row at a time; by conjugate gradients, by leaving out every tenth. */
    public static RidgeFit fit(Descriptors rows, int[] labels, int classes, RidgeConfig config) {
        RidgeMethod method = RidgeMethod.of(rows.count(), rows.length(), config);
        return new RidgeClassifier(method, classes, config, Weights.NONE, line -> {})
                .leavingOut(new LabelledRows(rows, labels));
    }

    /** Chooses by validation rows. */
    public static RidgeFit fit(
            Descriptors training,
            int[] labels,
            Descriptors validation,
            int[] validationLabels,
            int classes,
            RidgeConfig config) {
        RidgeMethod method = RidgeMethod.of(training.count() + validation.count(), training.length(), config);
        return new RidgeClassifier(method, classes, config, Weights.NONE, line -> {})
                .validated(new LabelledRows(training, labels), new LabelledRows(validation, validationLabels));
    }

    /** Chooses by leaving out. */
    RidgeFit leavingOut(LabelledRows rows) {
        check("training", rows.rows(), rows.labels(), classes);
        return switch (method) {
            case DUAL -> new DualClassifier(classes, config, weights).leavingOut(rows);
            case PRIMAL -> PrimalRidge.leavingOut(rows, weighting(), config);
            case CONJUGATE_GRADIENTS -> iterative().leavingOut(rows);
        };
    }

    /** Chooses by validation rows. */
    RidgeFit validated(LabelledRows training, LabelledRows validation) {
        check("training", training.rows(), training.labels(), classes);
        checkLabels("validation", validation.rows(), validation.labels(), classes);
        return switch (method) {
            case DUAL -> new DualClassifier(classes, config, weights).validated(training, validation);
            case PRIMAL -> PrimalRidge.validated(training, validation, weighting(), config);
            case CONJUGATE_GRADIENTS ->
                iterative().fit(training.rows(), training.labels(), validation.rows(), validation.labels());
        };
    }

    /**
     * Fits with the only penalty of the config.
     *
     * @param temperature null where it is to be found, by leaving out
     */
    RidgeFit again(LabelledRows rows, @Nullable Double temperature) {
        return method.leavesOut() || temperature == null
                ? leavingOut(rows)
                : iterative().fit(rows.rows(), rows.labels(), temperature);
    }

    private PrimalRidge.Weighting weighting() {
        return new PrimalRidge.Weighting(classes, weights);
    }

    private IterativeRidge iterative() {
        return new IterativeRidge(classes, config, weights, progress);
    }

    private static void check(String what, Descriptors rows, int[] labels, int classes) {
        checkLabels(what, rows, labels, classes);
        if (rows.count() < 2) {
            throw new IllegalArgumentException(
                    "training needs at least 2 images but has " + rows.count() + "; add images");
        }
        if (classes > 1 && Arrays.stream(labels).distinct().count() < 2) {
            throw new IllegalArgumentException("all " + rows.count() + " training images are of class number "
                    + labels[0] + "; add images of at least one other class");
        }
    }

    private static void checkLabels(String what, Descriptors rows, int[] labels, int classes) {
        if (rows.count() < 1 || rows.count() != labels.length) {
            throw new IllegalArgumentException(
                    "expected one label for each " + what + " image, of which there must be some, but there are "
                            + rows.count() + " images and " + labels.length + " labels");
        }
        if ((long) labels.length * classes > MAX_TARGETS) {
            throw new IllegalArgumentException(labels.length + " images of " + classes
                    + " classes have too many targets for the closed form; use the softmax classifier (refit: never)");
        }
        for (int label : labels) {
            if (label < 0 || label >= classes) {
                throw new IllegalArgumentException(
                        "labels of " + what + " images must lie in 0.." + (classes - 1) + " but one is " + label);
            }
        }
    }
}
