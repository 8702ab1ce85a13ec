package io.github.gramian.recipe;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The recipe that all others stand on, read once from a file in the jar: the only place where defaults are written. */
final class StandardRecipe {

    private static final String FILE = "standard.yaml";

    static final Recipe RECIPE = RecipeFile.complete(text());

    private StandardRecipe() {}

    /** The file with its remarks. */
    static String text() {
        try (InputStream file = StandardRecipe.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException(
                        FILE + " is missing beside " + StandardRecipe.class.getName() + "; install Gramian again");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + FILE + " from Gramian's own jar", failure);
        }
    }
}
