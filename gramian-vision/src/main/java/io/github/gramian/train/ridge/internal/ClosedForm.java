package io.github.gramian.train.ridge.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.Refit;
import java.util.Locale;

/**
 * Whether a training may fit its classifier in closed form, which takes no more than {@link RidgeClassifier#MOST_ROWS}
 * images: decided before anything is computed.
 *
 * @param images number of labelled images, for training and validation
 * @param dispensable whether the recipe leads to a classifier without it
 */
public record ClosedForm(int images, boolean dispensable) {

    public ClosedForm {
        if (images > RidgeClassifier.MOST_ROWS && !dispensable) {
            throw new IllegalArgumentException(count(images) + " images have labels to fit to, and the classifier in"
                    + " closed form that the recipe asks for takes at most " + count(RidgeClassifier.MOST_ROWS)
                    + "; train a softmax classifier with stage1.epochs=8 and refit=best, or give fewer images");
        }
    }

    /** For these images, before any is read. */
    public static ClosedForm of(Recipe recipe, Dataset dataset) {
        boolean descends = recipe.stage1().runs() || recipe.stage2().runs();
        return new ClosedForm(
                dataset.samples(Split.TRAIN).size()
                        + dataset.samples(Split.VALIDATION).size(),
                descends && recipe.refit() != Refit.ALWAYS);
    }

    /** Whether it is fitted at all. */
    public boolean allowed() {
        return images <= RidgeClassifier.MOST_ROWS;
    }

    /** The message where it is not allowed. */
    public String sentence() {
        return "the softmax classifier stays: " + count(images)
                + " images have labels to fit to, and the closed form takes" + " at most "
                + count(RidgeClassifier.MOST_ROWS);
    }

    private static String count(int images) {
        return String.format(Locale.ROOT, "%,d", images);
    }
}
