package io.github.gramian.cli.train;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings of a recipe that have their own command-line options, as {@code key=value}. */
public final class RecipeSettings {

    private final List<String> settings = new ArrayList<>();

    /** Adds a setting, unless the option was not given. */
    public RecipeSettings with(String key, @Nullable Object value) {
        if (value != null) {
            settings.add(key + "=" + (value instanceof String text ? quoted(text) : value.toString()));
        }
        return this;
    }

    /** All settings, then those that the user gave as {@code key=value}. */
    public List<String> then(List<String> more) {
        List<String> all = new ArrayList<>(settings);
        all.addAll(more);
        return all;
    }

    /** A path or name as YAML takes it, whatever it contains. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
