package io.github.gramian.train;

import io.github.gramian.layer.Parameter;
import io.github.gramian.run.TrainingEvent;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * What {@code scores.json} reports of a training in addition to its scores.
 *
 * @param model that was trained
 * @param selection what validation images have selected
 * @param finalImages number of images of the final retraining; empty if there was none
 * @param notes sentences about the classifier and the arithmetic, by key
 * @param processes number of processes and their waiting time; empty for a single process
 * @param seconds that the training took
 */
record RunFacts(
        TrainedModel model,
        ModelSelection selection,
        OptionalInt finalImages,
        Map<String, String> notes,
        Optional<Map<String, Object>> processes,
        double seconds) {

    /** Null if there were no validation images. */
    @Nullable
    Double validationAccuracy() {
        return selection.classifier().validationAccuracy();
    }

    /** All facts, in the order of the file. */
    Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        Double accuracy = validationAccuracy();
        facts.put("validation", accuracy == null ? null : Map.of("accuracy", accuracy));
        facts.put("trainable", new TreeMap<>(Map.of("head", headValues(), "backbone", backboneValues())));
        facts.put("seconds", Map.of("total", seconds));
        facts.putAll(notes);
        finalImages.ifPresent(images -> facts.put("final", finalTraining(images)));
        if (selection.fineTuning() != null) {
            facts.put("fineTuning", fineTuning(selection.fineTuning()));
        }
        processes.ifPresent(account -> facts.put("processes", account));
        return facts;
    }

    private long headValues() {
        return model.network().parameters().stream()
                .filter(Parameter::trainable)
                .mapToLong(parameter -> parameter.value().numel())
                .sum();
    }

    private long backboneValues() {
        return model.learned().values().stream().mapToLong(Tensor::numel).sum();
    }

    private Map<String, Object> finalTraining(int images) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("images", images);
        facts.put("stage1Epochs", selection.stage1().count());
        facts.put("stage2Epochs", selection.stage2().count());
        facts.put(
                "sentence",
                String.format(
                        Locale.ROOT,
                        "trained again on all %,d training and validation images, %d epochs of stage 1 and %d of"
                                + " stage 2; the validation accuracy is that of the previous training",
                        images,
                        selection.stage1().count(),
                        selection.stage2().count()));
        return facts;
    }

    private static Map<String, Object> fineTuning(TrainingEvent.FineTuning found) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("frozen", found.frozen());
        facts.put("tuned", found.tuned());
        facts.put("images", found.images());
        facts.put("kept", found.kept());
        facts.put("sentence", found.sentence());
        return facts;
    }
}
