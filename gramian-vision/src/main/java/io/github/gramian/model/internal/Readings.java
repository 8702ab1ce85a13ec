package io.github.gramian.model.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.conformal.internal.PredictionSets;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.Reading;
import java.util.List;
import java.util.stream.IntStream;

/** Turns the numbers of an engine into readings, each with what the model's {@link ModelReference} says about it. */
final class Readings {

    private static final float[] NO_DESCRIPTOR = {};

    private final Inference inference;
    private final List<String> classes;
    private final ModelReference reference;

    Readings(Inference inference) {
        this.inference = inference;
        this.classes = inference.description().classes();
        this.reference = inference.reference();
    }

    /** @param describe whether the readings have descriptors */
    List<Reading> of(List<String> names, List<InputPixels> inputs, int views, boolean describe) {
        Inference.Answers answers =
                inference.answers(inputs, views, describe || reference.novelty().isPresent());
        return IntStream.range(0, names.size())
                .mapToObj(i -> of(names.get(i), answers.probabilities()[i], answers.descriptors()[i], describe))
                .toList();
    }

    /** An image for which the network computes NaN or infinity has no answer: NaN would look like any other answer. */
    private Reading of(String name, float[] probabilities, float[] descriptor, boolean describe) {
        if (!isFinite(probabilities) || !isFinite(descriptor)) {
            return Reading.rejected(name, "the network's answer is NaN or infinite");
        }
        return new Reading(prediction(name, probabilities, descriptor), describe ? descriptor : NO_DESCRIPTOR);
    }

    private Prediction prediction(String name, float[] probabilities, float[] descriptor) {
        Prediction prediction = Prediction.of(name, classes, probabilities);
        if (reference.sets().isPresent()) {
            SetScores scores = reference.sets().get();
            prediction = prediction.withSets(coverage -> PredictionSets.threshold(scores, coverage));
        }
        return reference.novelty().isPresent()
                ? prediction.withNovelty(reference.novelty().get().novelty(descriptor))
                : prediction;
    }

    private static boolean isFinite(float[] values) {
        for (float number : values) {
            if (!Float.isFinite(number)) {
                return false;
            }
        }
        return true;
    }
}
