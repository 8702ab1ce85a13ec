package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.eval.Prediction;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scalars;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionFoldsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CLASSES = 3;
    private static final int IMAGES = 30;
    private static final int FITTED = 2;
    private static final int VERSIONS = 4;
    private static final int LENGTH = 70;
    private static final double LAMBDA = 0.1;

    /** Rows of one version after another; the mean of the versions that are not fitted is far from that of the others. */
    private static Tensor rows(long seed) {
        Tensor images = new Seed(seed).normal(DOUBLE, IMAGES, LENGTH);
        for (int i = 0; i < IMAGES; i++) {
            images.narrow(0, i, 1).narrow(1, i % CLASSES, 1).add_(Scalars.scalar(1.5));
        }
        Tensor rows =
                images.repeat(VERSIONS, 1).add(new Seed(seed + 50).normal(DOUBLE, (long) VERSIONS * IMAGES, LENGTH));
        rows.narrow(0, FITTED * IMAGES, (VERSIONS - FITTED) * IMAGES).add_(Scalars.scalar(0.7));
        return rows;
    }

    private static int[] labels() {
        return IntStream.range(0, VERSIONS * IMAGES)
                .map(row -> row % IMAGES % CLASSES)
                .toArray();
    }

    private static List<int[]> partitions() {
        return List.of(
                IntStream.range(0, IMAGES).map(i -> i % 5).toArray(),
                IntStream.range(0, IMAGES).map(i -> (i * 7 + i / 4) % 4).toArray(),
                IntStream.range(0, IMAGES).map(i -> i / 10).toArray());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void other_versions_are_predicted_as_by_classifiers_that_were_fitted_without_their_fold(long seed) {
        try (Scope scope = Scope.open()) {
            Tensor X = rows(seed);
            try (CrossValidation all =
                    CrossValidation.of(new KnownRows(X), labels(), CLASSES, RidgeConfig.defaults())) {
                List<int[]> predicted = new VersionFolds(all, IMAGES, FITTED).predict(partitions(), List.of(LAMBDA));
                for (int p = 0; p < partitions().size(); p++) {
                    assertThat(predicted.get(p))
                            .isEqualTo(refitted(X, partitions().get(p), FITTED + p % 2));
                }
                assertThat(predicted.get(0)).isNotEqualTo(predicted.get(1));
            }
        }
    }

    /** A classifier for each fold, fitted to the other images in the first versions. */
    private static int[] refitted(Tensor X, int[] folds, int version) {
        Tensor fittedRows = X.narrow(0, 0, FITTED * IMAGES);
        int[] predicted = new int[IMAGES];
        for (int fold = 0; fold <= IntStream.of(folds).max().orElseThrow(); fold++) {
            int wanted = fold;
            int[] in = IntStream.range(0, FITTED * IMAGES)
                    .filter(row -> folds[row % IMAGES] != wanted)
                    .toArray();
            Tensor training = X.index_select(0, HostCopy.labels(in, DOUBLE));
            RidgeFit fit = RidgeClassifier.fit(
                    new KnownRows(training),
                    IntStream.of(in).map(row -> row % IMAGES % CLASSES).toArray(),
                    CLASSES,
                    RidgeConfig.defaults().withLambdas(List.of(LAMBDA * spread(fittedRows) / spread(training))));
            float[][] scores = HostCopy.rows(Placement.cpu(Precision.FLOAT)
                    .place(X.narrow(0, (long) version * IMAGES, IMAGES))
                    .matmul(fit.weight().t())
                    .add(fit.bias()));
            for (int i = 0; i < IMAGES; i++) {
                predicted[i] = folds[i] == fold ? Prediction.argmax(scores[i]) : predicted[i];
            }
        }
        return predicted;
    }

    private static double spread(Tensor X) {
        return X.sub(X.mean(0)).square().sum().item_double() / X.size(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void the_penalty_that_predicts_the_other_folds_better_is_chosen(long seed) {
        try (Scope scope = Scope.open()) {
            Tensor X = rows(seed);
            // A direction that says nothing is by far the longest, so a penalty above all others hides the classes.
            Tensor nuisance = new Seed(seed + 99).normal(DOUBLE, IMAGES, 1).mul(Scalars.scalar(100));
            X.narrow(1, LENGTH - 1, 1).add_(nuisance.repeat(VERSIONS, 1));
            try (CrossValidation all =
                    CrossValidation.of(new KnownRows(X), labels(), CLASSES, RidgeConfig.defaults())) {
                VersionFolds folds = new VersionFolds(all, IMAGES, FITTED);
                int[] useful = folds.predict(partitions(), List.of(1e-3)).get(0);
                assertThat(folds.predict(partitions(), List.of(1e6)).get(0)).isNotEqualTo(useful);
                assertThat(folds.predict(partitions(), List.of(1e6, 1e-3)).get(0))
                        .isEqualTo(useful);
            }
        }
    }

    @Test
    void rows_that_are_not_versions_of_the_same_images_are_refused() {
        try (Scope scope = Scope.open();
                CrossValidation all =
                        CrossValidation.of(new KnownRows(rows(1)), labels(), CLASSES, RidgeConfig.defaults())) {
            assertThatThrownBy(() -> new VersionFolds(all, IMAGES, VERSIONS)).hasMessageContaining("more versions");
            assertThatThrownBy(() -> new VersionFolds(all, IMAGES - 1, 1)).hasMessageContaining("120 rows");
        }
    }
}
