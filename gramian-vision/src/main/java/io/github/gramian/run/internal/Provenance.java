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

    private Provenance() {}

    /** Versions, recipe, hash of the data and date, by name, as a model file stores them. */
    public static Map<String, String> of(Recipe recipe, String dataHash) {
        Map<String, String> facts = new TreeMap<>();
        facts.put("gramian", GramianVersion.text());
        facts.put("libtorch", Engine.describe().version());
        facts.put("java", Runtime.version().toString());
        facts.put("recipe", RecipeFile.text(recipe));
        facts.put("data.sha256", dataHash);
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        return facts;
    }
}
