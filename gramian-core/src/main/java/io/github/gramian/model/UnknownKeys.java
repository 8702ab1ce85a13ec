package io.github.gramian.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds keys that no record has, before anything is read: a misspelt key is a better explanation than the right one that is
 * missing in its place.
 *
 * @param kinds closed sets and the names of their members
 */
record UnknownKeys(Map<Class<?>, Map<String, Class<?>>> kinds) {

    /** Throws for the first key that does not belong, with the nearest one that does. */
    void check(JsonNode tree, Type type, String path) {
        if (type instanceof ParameterizedType list && tree.isArray()) {
            for (int i = 0; i < tree.size(); i++) {
                check(tree.get(i), list.getActualTypeArguments()[0], join(path, Integer.toString(i)));
            }
        } else if (type instanceof Class<?> set && kinds.containsKey(set)) {
            Class<?> member =
                    kinds.getOrDefault(set, Map.of()).get(tree.path("kind").asText());
            if (member != null) {
                checkRecord(tree, member, true, path);
            }
        } else if (type instanceof Class<?> record && record.isRecord()) {
            checkRecord(tree, record, false, path);
        }
    }

    private void checkRecord(JsonNode tree, Class<?> record, boolean kinded, String path) {
        Map<String, Type> known = new TreeMap<>();
        if (kinded) {
            known.put("kind", String.class);
        }
        for (RecordComponent component : record.getRecordComponents()) {
            known.put(component.getName(), component.getGenericType());
        }
        for (Map.Entry<String, JsonNode> field : tree.properties()) {
            Type type = known.get(field.getKey());
            if (type == null) {
                throw new IllegalArgumentException("unknown key '" + join(path, field.getKey()) + "'; "
                        + ConfigJson.nearest(field.getKey(), known.keySet()));
            }
            check(field.getValue(), type, join(path, field.getKey()));
        }
    }

    private static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
