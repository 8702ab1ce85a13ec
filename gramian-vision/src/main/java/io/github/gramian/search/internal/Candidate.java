package io.github.gramian.search.internal;

import io.github.gramian.image.Normalisation;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;

/**
 * One recipe that a search may choose.
 *
 * @param input what the backbone sees, by its name in the space
 * @param head how its features become a descriptor, by its name in the space
 * @param label for people
 * @param recipe complete
 */
public record Candidate(String input, String head, String label, Recipe recipe) {

    /** Its name in files: {@code kernel@large}. */
    public String name() {
        return head + "@" + input;
    }

    /**
     * What the backbone computes for an image, as a multiple of one view of 224 × 224 pixels. It depends on the recipe
     * only, so that choices by cost do not depend on the clock.
     */
    public double work() {
        return NetworkFeatures.of(recipe.network()).scales().stream()
                .mapToDouble(scale -> recipe.views()
                                .test(scale.size(), Normalisation.TORCHVISION)
                                .views()
                        * Math.pow(scale.size() / 224.0, 2))
                .sum();
    }
}
