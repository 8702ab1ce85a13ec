package io.github.gramian.run.internal;

import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.tensor.internal.Engine;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;

/** Where a model comes from: what it was trained with, on what, and when. */
public final class Provenance {

    private static final String DATE = "date";

    private Provenance() {}

    /** Versions, recipe, hash of the data and date, by name, as a model file stores them. */
    public static Map<String, String> of(Recipe recipe, String dataHash) {
        Map<String, String> facts = new TreeMap<>();
        facts.put("gramian", GramianVersion.text());
        facts.put("libtorch", Engine.describe().version());
        facts.put("java", Runtime.version().toString());
        facts.put("recipe", RecipeFile.text(recipe));
        facts.put("data.sha256", dataHash);
        facts.put(DATE, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        return facts;
    }

    /**
     * The earlier facts if the two differ only in the date, otherwise the new ones. A resumed run then writes the same bytes,
     * and an index that names its model stays valid.
     */
    public static Map<String, String> keepingDate(Map<String, String> earlier, Map<String, String> now) {
        return withoutDate(earlier).equals(withoutDate(now)) ? earlier : now;
    }

    private static Map<String, String> withoutDate(Map<String, String> facts) {
        Map<String, String> rest = new TreeMap<>(facts);
        rest.remove(DATE);
        return rest;
    }
}
