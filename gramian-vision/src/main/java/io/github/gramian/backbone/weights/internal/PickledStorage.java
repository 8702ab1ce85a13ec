package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.tensor.internal.TensorType;

/** A block of values stored next to a pickle, which refers to it by its key. */
record PickledStorage(String key, TensorType type, long elements) {

    static PickledStorage of(Object persistentId) throws WeightsException {
        if (persistentId instanceof PickledTuple tuple
                && tuple.values().size() >= 5
                && tuple.get(0).equals("storage")
                && tuple.get(1) instanceof PickledGlobal.StorageKind kind
                && tuple.get(2) instanceof String key
                && tuple.get(4) instanceof Long elements
                && elements >= 0
                && key.matches("[0-9A-Za-z_]{1,64}")) {
            if (tuple.values().size() == 6 && tuple.get(5) != PickleReader.NONE) {
                throw new WeightsException("the file has a storage inside a storage, which very old PyTorch wrote;"
                        + " save it again with a newer one");
            }
            return new PickledStorage(key, kind.type(), elements);
        }
        throw new WeightsException(
                "the pickle refers to something outside that is not a storage; the file is rejected");
    }
}
