package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the weights in what a pickle holds: a state dict, or a training checkpoint with one inside. */
record StateDict(Map<String, PickledTensor> tensors, List<String> skipped) {

    private static final List<String> INNER = List.of("state_dict", "model_state_dict", "model", "net");
    private static final String DATA_PARALLEL = "module.";

    static StateDict of(Object root) throws WeightsException {
        if (!(root instanceof Map<?, ?> map)) {
            throw new WeightsException(
                    "the pickle holds no dictionary; save the model's state_dict(), not the model or a single tensor");
        }
        List<String> skipped = new ArrayList<>();
        Map<?, ?> inner = map;
        for (String name : INNER) {
            if (map.get(name) instanceof Map<?, ?> nested) {
                inner = nested;
                map.keySet().stream().filter(key -> !key.equals(name)).forEach(key -> skipped.add(key.toString()));
                break;
            }
        }
        Map<String, PickledTensor> tensors = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : inner.entrySet()) {
            if (entry.getKey() instanceof String name && entry.getValue() instanceof PickledTensor tensor) {
                tensors.put(name, tensor);
            } else {
                skipped.add(entry.getKey().toString());
            }
        }
        if (tensors.isEmpty()) {
            throw new WeightsException("the pickle holds no named tensors; save the model's state_dict()");
        }
        return new StateDict(withoutPrefix(tensors), skipped);
    }

    /** A model trained on several devices has "module." before every name. */
    private static Map<String, PickledTensor> withoutPrefix(Map<String, PickledTensor> tensors) {
        if (!tensors.keySet().stream().allMatch(name -> name.startsWith(DATA_PARALLEL))) {
            return tensors;
        }
        Map<String, PickledTensor> renamed = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> renamed.put(name.substring(DATA_PARALLEL.length()), tensor));
        return renamed;
    }
}
