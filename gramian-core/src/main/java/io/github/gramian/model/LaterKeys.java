package io.github.gramian.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.layer.Products;
import java.util.Map;

/**
 * Completes what was written before some keys existed: each is filled in with the value that keeps the old meaning. Without
 * it, every new setting would make the models and recipes of yesterday unreadable.
 */
record LaterKeys() implements RecordWalk.Visitor {

    /** The keys that records got after the first files were written, and what a file without them means. */
    private static final Map<Class<?>, Map<String, Object>> MEANT = Map.of(
            AggregatorConfig.SpdMatrix.class, Map.of("products", Products.EXACT, "root", new RootConfig.None()),
            AggregationConfig.class, Map.of("unitMaps", false),
            DescriptorConfig.class, Map.of("dropout", 0.0));

    @Override
    public void visit(ObjectNode tree, Class<?> record, boolean kinded, String path) {
        MEANT.getOrDefault(record, Map.of()).forEach((key, value) -> {
            if (!tree.has(key)) {
                tree.set(key, ConfigJson.toTree(value));
            }
        });
    }
}
