package io.github.gramian.spark.index;

import java.io.Serializable;
import java.util.Comparator;

/**
 * A photograph that was found.
 *
 * @param name of the image in its table
 * @param label first directory of the name; empty if there is none
 * @param similarity −1 to 1
 */
public record Hit(String name, String label, float similarity) implements Serializable {

    private static final long serialVersionUID = 1L;

    static final Comparator<Hit> NEAREST_FIRST =
            Comparator.comparing(Hit::similarity, Comparator.reverseOrder()).thenComparing(Hit::name);
}
