package io.github.gramian.serve.protocol.internal;

import static java.util.Map.entry;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.eval.Prediction;
import io.github.gramian.json.internal.Json;
import java.util.List;
import java.util.Map;

/**
 * What a request for the classes of one photograph asks for.
 *
 * @param top number of most probable classes
 * @param certainty the set of classes, and the novelty below which the class is unknown
 */
public record PhotoOptions(int top, CertaintyRequest certainty) {

    /** Refuses a model that cannot answer this. */
    public void require(ReferenceOutputs model) {
        model.require(certainty);
    }

    /**
     * Adds the answer for one photograph; the novelty only if the model has a reference.
     *
     * @param model of the prediction
     */
    public void addTo(Map<String, Object> answer, Prediction prediction, ReferenceOutputs model) {
        boolean isUnknown = certainty.isUnknown(prediction.novelty());
        answer.put("class", isUnknown ? "unknown" : prediction.label());
        answer.put("probability", prediction.probability(prediction.predicted()));
        answer.put(
                "top",
                prediction.top(top).stream()
                        .map(one -> Json.members(entry("class", one.label()), entry("probability", one.probability())))
                        .toList());
        if (certainty.coverage() != null) {
            answer.put(
                    "set",
                    prediction.set(certainty.coverage()).stream()
                            .map(Prediction.Candidate::label)
                            .toList());
        }
        prediction.novelty().ifPresent(pValue -> answer.put("novelty", pValue));
        if (certainty.unknown() != null) {
            answer.put("unknown", isUnknown);
        }
        List<String> notes = certainty.notes(model.reference());
        if (!notes.isEmpty()) {
            answer.put("notes", notes);
        }
    }
}
