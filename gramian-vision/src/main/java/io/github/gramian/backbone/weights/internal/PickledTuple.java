package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import java.util.List;

/** A tuple of a pickle. */
record PickledTuple(List<Object> values) {

    static final PickledTuple EMPTY = new PickledTuple(List.of());

    PickledTuple {
        values = List.copyOf(values);
    }

    Object get(int index) throws WeightsException {
        if (index >= values.size()) {
            throw new WeightsException("the pickle has a tuple that is too short; the file is damaged");
        }
        return values.get(index);
    }

    /** Its values as sizes or strides. */
    List<Long> integers() throws WeightsException {
        for (Object value : values) {
            if (!(value instanceof Long number) || number < 0) {
                throw new WeightsException(
                        "the pickle has a size or stride that is not a number ≥ 0; the file is damaged");
            }
        }
        return values.stream().map(Long.class::cast).toList();
    }
}
