package io.github.gramian.recipe;

import io.github.gramian.recipe.internal.PackagedText;

/** The recipe that all others stand on, read once from a file in the jar: the only place where defaults are written. */
final class StandardRecipe {

    static final Recipe RECIPE = RecipeFile.complete(text());

    private StandardRecipe() {}

    /** The file with its remarks. */
    static String text() {
        return PackagedText.nextTo(StandardRecipe.class, "standard.yaml");
    }
}
