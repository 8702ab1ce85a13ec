package io.github.gramian.model.config.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Refuses keys that no record has, before anything is read: an error about a misspelt key is clearer than one about the key
 * that is missing in its place.
 */
record UnknownKeys() implements RecordWalk.Visitor {

    /** Throws for the first key that does not belong, with the nearest one that does. */
    @Override
    public void visit(ObjectNode tree, Class<?> record, boolean kinded, String path) {
        Set<String> known =
                RecordWalk.keys(record).stream().map(RecordWalk::key).collect(Collectors.toCollection(TreeSet::new));
        if (kinded) {
            known.add("kind");
        }
        for (Map.Entry<String, ?> field : tree.properties()) {
            if (!known.contains(field.getKey())) {
                throw new IllegalArgumentException("unknown key '" + RecordWalk.join(path, field.getKey()) + "'; "
                        + ConfigJson.nearest(field.getKey(), known));
            }
        }
    }
}
