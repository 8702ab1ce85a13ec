package io.github.gramian.recipe.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.github.gramian.model.config.internal.ConfigJson;
import java.util.List;
import java.util.Map;

/** Keys of YAML files that hold parts of recipes; every message names the place and what to write there. */
public final class YamlKeys {

    private YamlKeys() {}

    /** Refuses anything but these keys. */
    public static void require(JsonNode tree, String where, List<String> known) {
        if (!tree.isObject()) {
            throw new IllegalArgumentException(where + " is a list of keys and values; known are " + known);
        }
        for (Map.Entry<String, JsonNode> entry : tree.properties()) {
            if (!known.contains(entry.getKey())) {
                throw new IllegalArgumentException("unknown key '" + entry.getKey() + "' in " + where + "; "
                        + ConfigJson.nearest(entry.getKey(), known));
            }
        }
    }

    /** Names with their settings. */
    public static JsonNode object(JsonNode tree, String key, String where) {
        JsonNode found = tree.path(key);
        if (!found.isObject()) {
            throw new IllegalArgumentException(where + " needs " + key + ": names with their settings");
        }
        return found;
    }

    /** A required string. */
    public static String string(JsonNode tree, String key, String where) {
        if (!tree.path(key).isTextual()) {
            throw new IllegalArgumentException(where + " needs '" + key + "', a string");
        }
        return tree.path(key).asText();
    }

    /** Part of a recipe, or nothing. */
    public static JsonNode part(JsonNode tree, String key) {
        JsonNode found = tree.path(key);
        if (!found.isObject() && !found.isMissingNode() && !found.isNull()) {
            throw new IllegalArgumentException("'" + key + "' is part of a recipe: keys and values, no " + found);
        }
        return found.isObject() ? found : MissingNode.getInstance();
    }
}
