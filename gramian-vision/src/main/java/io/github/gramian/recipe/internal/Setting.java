package io.github.gramian.recipe.internal;

import java.nio.file.Path;

/** One setting of a recipe as {@code key=value}, the form of {@code --set}. */
public final class Setting {

    private Setting() {}

    /** The value is written as YAML; a path is quoted, so that no character of its name has a meaning in YAML. */
    public static String value(Object value) {
        return value instanceof Path ? "'" + value.toString().replace("'", "''") + "'" : value.toString();
    }

    /** The setting {@code key=value}. */
    public static String of(String key, Object value) {
        return key + "=" + value(value);
    }
}
