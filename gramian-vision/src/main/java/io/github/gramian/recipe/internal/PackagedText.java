package io.github.gramian.recipe.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Text files that lie next to classes in Gramian's own jar, such as the default recipe. */
public final class PackagedText {

    private PackagedText() {}

    /** The text of a file in the package of a class, which must be in UTF-8. */
    public static String nextTo(Class<?> neighbour, String name) {
        try (InputStream file = neighbour.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException(
                        name + " is missing next to " + neighbour.getName() + "; install Gramian again");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + name + " from Gramian's own jar", failure);
        }
    }
}
