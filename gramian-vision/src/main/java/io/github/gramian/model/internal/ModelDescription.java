package io.github.gramian.model.internal;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.tensor.Precision;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The description of a saved model: everything besides its weights.
 *
 * @param network all layers after the backbone
 * @param inputChannels of the features that each branch takes
 * @param classes names, in the order of the probabilities
 * @param backbone the pretrained network before the aggregators
 * @param preprocessing from pixels to the backbone's input, for each of the network's scales in their order
 * @param protocol evaluation protocol of its training and scores; empty for a model that was never evaluated
 * @param provenance where it comes from: versions, recipe, hash of the data, date
 */
public record ModelDescription(
        NetworkConfig network,
        List<Integer> inputChannels,
        List<String> classes,
        BackboneNote backbone,
        List<Preprocessing> preprocessing,
        Optional<EvaluationProtocol> protocol,
        Map<String, String> provenance) {

    private static final int MAX_CLASSES = 1_000_000;
    private static final int MAX_CHANNELS = 65_536;

    /**
     * The backbone of a model.
     *
     * @param name such as {@code resnet50-keras}
     * @param weightsHash of the pretrained weights that training started from
     * @param precision of its activations
     * @param embedded whether the file holds its weights; others must be given when the model is loaded
     */
    public record BackboneNote(String name, String weightsHash, Precision precision, boolean embedded) {}

    public ModelDescription {
        inputChannels = List.copyOf(inputChannels);
        classes = List.copyOf(classes);
        preprocessing = List.copyOf(preprocessing);
        provenance = Collections.unmodifiableMap(new TreeMap<>(provenance));
        if (classes.isEmpty() || classes.size() > MAX_CLASSES) {
            throw new IllegalArgumentException("a model has 1.." + MAX_CLASSES + " classes, not " + classes.size());
        }
        for (int channels : inputChannels) {
            if (channels < 1 || channels > MAX_CHANNELS) {
                throw new IllegalArgumentException(
                        "the features of a backbone have 1.." + MAX_CHANNELS + " channels, not " + channels);
            }
        }
        checkViews(NetworkFeatures.of(network).scales(), preprocessing);
        network.descriptorLength(inputChannels);
    }

    /** Every size has its own preprocessing, in the order of the scales; in another order, features would be incorrect. */
    private static void checkViews(List<FeatureRequest.Scale> scales, List<Preprocessing> preprocessing) {
        List<Integer> wanted = scales.stream().map(FeatureRequest.Scale::size).toList();
        List<Integer> given = preprocessing.stream().map(Preprocessing::size).toList();
        if (!given.equals(wanted)) {
            throw new IllegalArgumentException("the network takes images of " + wanted
                    + " pixels a side, in this order, but its preprocessing makes them " + given);
        }
        if (preprocessing.stream().map(Preprocessing::views).distinct().count() > 1) {
            throw new IllegalArgumentException("the number of views differs between the sizes of the preprocessing");
        }
        ViewBudget.require(preprocessing, 1);
    }
}
