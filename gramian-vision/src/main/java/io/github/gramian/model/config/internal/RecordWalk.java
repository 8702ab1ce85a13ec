package io.github.gramian.model.config.internal;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Goes over a tree and the records that it describes side by side, from the root down.
 *
 * @param kinds closed sets and the names of their members
 */
record RecordWalk(Map<Class<?>, Map<String, Class<?>>> kinds) {

    /** Called for every record that the tree describes. */
    interface Visitor {

        /**
         * Called from the root down.
         *
         * @param kinded whether the record is a member of a closed set, so that the tree has a {@code kind}
         * @param path where in the tree this is, such as {@code branches.0}; empty at the root
         */
        void visit(ObjectNode tree, Class<?> record, boolean kinded, String path);
    }

    /** Visits every record; where the tree does not fit its type, nothing. */
    void over(JsonNode tree, Type type, Visitor visitor) {
        over(tree, type, "", visitor);
    }

    private void over(JsonNode tree, Type type, String path, Visitor visitor) {
        if (type instanceof ParameterizedType list && tree.isArray()) {
            for (int i = 0; i < tree.size(); i++) {
                over(tree.get(i), list.getActualTypeArguments()[0], join(path, Integer.toString(i)), visitor);
            }
        } else if (type instanceof Class<?> set && kinds.containsKey(set)) {
            Class<?> member =
                    kinds.getOrDefault(set, Map.of()).get(tree.path("kind").asText());
            if (member != null) {
                overRecord(tree, member, true, path, visitor);
            }
        } else if (type instanceof Class<?> record && record.isRecord()) {
            overRecord(tree, record, false, path, visitor);
        }
    }

    private void overRecord(JsonNode tree, Class<?> record, boolean kinded, String path, Visitor visitor) {
        if (tree instanceof ObjectNode object) {
            visitor.visit(object, record, kinded, path);
            for (RecordComponent component : keys(record)) {
                String key = key(component);
                over(object.path(key), component.getGenericType(), join(path, key), visitor);
            }
        }
    }

    /** The keys of a record: its components, those that are unwrapped replaced by theirs. */
    static List<RecordComponent> keys(Class<?> record) {
        return Arrays.stream(record.getRecordComponents())
                .flatMap(component -> component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)
                        ? keys(component.getType()).stream()
                        : Stream.of(component))
                .toList();
    }

    /** The name of a key: that of its component, unless it is a word of Java such as {@code final}. */
    static String key(RecordComponent component) {
        JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named == null ? component.getName() : named.value();
    }

    static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
