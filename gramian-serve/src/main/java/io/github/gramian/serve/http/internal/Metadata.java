package io.github.gramian.serve.http.internal;

import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ServedIndex;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Metadata of the server and its models, as the protocol defines it. */
final class Metadata {

    private static final String NAME = "gramian";

    private Metadata() {}

    /** {@code GET /v2}. */
    static Map<String, Object> server() {
        return ordered(
                "name",
                NAME,
                "version",
                GramianVersion.text(),
                "extensions",
                List.of("binary_tensor_data", "classification"));
    }

    /** {@code GET /v2/models/M[/versions/V]}. */
    static Map<String, Object> model(ModelRepository models, Optional<ServedIndex> index, ModelAddress address) {
        try (Lease lease = address.lease(models)) {
            boolean searchable = index.isPresent() && index.get().isOf(lease.model());
            BatchPredictor predictor = lease.model().predictor();
            return ordered(
                    "name",
                    lease.model().spec().name(),
                    "versions",
                    List.copyOf(models.versions(address.name())),
                    "platform",
                    NAME,
                    "inputs",
                    List.of(tensor("image", "BYTES", -1)),
                    "outputs",
                    outputs(predictor, searchable),
                    "parameters",
                    ordered(
                            "version",
                            lease.model().spec().version(),
                            "modelSha256",
                            lease.model().sha256(),
                            "classes",
                            predictor.classes()));
        }
    }

    private static List<Map<String, Object>> outputs(BatchPredictor predictor, boolean searchable) {
        List<Map<String, Object>> outputs = new ArrayList<>();
        outputs.add(tensor("probabilities", "FP32", -1, predictor.classes().size()));
        outputs.add(tensor("label", "BYTES", -1));
        outputs.add(tensor("descriptor", "FP32", -1, predictor.descriptorLength()));
        ReferenceOutputs optional = new ReferenceOutputs(predictor.reference(), searchable);
        if (optional.novelty()) {
            outputs.add(tensor("novelty", "FP64", -1, 1));
        }
        if (optional.sets()) {
            outputs.add(tensor("set", "BYTES", -1, -1));
        }
        if (optional.neighbours()) {
            outputs.add(tensor("neighbours", "BYTES", -1, -1));
        }
        return outputs;
    }

    private static Map<String, Object> tensor(String name, String datatype, Integer... shape) {
        return ordered("name", name, "datatype", datatype, "shape", List.of(shape));
    }

    private static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
