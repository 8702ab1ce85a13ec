package io.github.gramian.serve.protocol.internal;

import static java.util.Map.entry;

import io.github.gramian.eval.Prediction;
import io.github.gramian.json.internal.Json;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What a request for the classes of one photograph asks for.
 *
 * @param top number of most probable classes
 * @param coverage of the set of classes; empty for no set
 * @param unknown novelty below which the class is unknown; empty to report the most probable class
 */
public record PhotoOptions(int top, OptionalDouble coverage, OptionalDouble unknown) {

    /** Refuses a model that cannot answer this. */
    public void require(ReferenceOutputs model) {
        if (coverage.isPresent()) {
            model.requireSets();
        }
        if (unknown.isPresent()) {
            model.requireNovelty();
        }
    }

    /**
     * Adds the answer for one photograph; the novelty only if the model has a reference.
     *
     * @param model of the prediction
     */
    public void addTo(Map<String, Object> answer, Prediction prediction, ReferenceOutputs model) {
        boolean isUnknown = unknown.isPresent() && prediction.novelty().orElseThrow() < unknown.getAsDouble();
        answer.put("class", isUnknown ? "unknown" : prediction.label());
        answer.put("probability", prediction.probability(prediction.predicted()));
        answer.put(
                "top",
                prediction.top(top).stream()
                        .map(one -> Json.members(entry("class", one.label()), entry("probability", one.probability())))
                        .toList());
        if (coverage.isPresent()) {
            answer.put(
                    "set",
                    prediction.set(coverage.getAsDouble()).stream()
                            .map(Prediction.Candidate::label)
                            .toList());
        }
        prediction.novelty().ifPresent(pValue -> answer.put("novelty", pValue));
        if (unknown.isPresent()) {
            answer.put("unknown", isUnknown);
        }
        List<String> notes = model.notes(coverage, unknown);
        if (!notes.isEmpty()) {
            answer.put("notes", notes);
        }
    }
}
