package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.Network;
import io.github.gramian.tensor.Precision;
import java.util.List;
import java.util.Optional;

/**
 * A loaded model on one engine: normalised pixels in, probabilities and descriptors out. Everything around it, such as
 * decoding, views and names, is the same for all engines. Safe for use by many threads; only {@link #close} must come last.
 */
public interface Inference extends AutoCloseable {

    ModelDescription description();

    /** SHA-256 of the weights of the model; of a file made from another, those of that one. */
    String weightsHash();

    /** The images that training has used; none if the file does not list them. */
    KnownImages knownImages();

    /** What the model stores about its training images; empty if the file has none. */
    ModelCertainty reference();

    /** The precision of the backbone's activations. */
    Precision precision();

    /** One line about engine and hardware, for evaluation protocols. */
    String engine();

    /** The layout in which it takes pixels. */
    ChannelOrder channelOrder();

    /** The part of the model that looks at whole photographs; empty if it was trained without. */
    default Optional<PhotoReader> photographs() {
        return Optional.empty();
    }

    /** Backbone and network, for explanations; empty on an engine that computes no gradients. */
    default Optional<Differentiable> differentiable() {
        return Optional.empty();
    }

    /**
     * Answers for a batch of images.
     *
     * @param scales pixels for each of the network's scales, in their order; all have the same images
     * @param views of an image; its probabilities and its descriptor are the means of theirs
     * @param describe whether descriptors are computed, which may take many megabytes per batch
     */
    Answers answers(List<InputPixels> scales, int views, boolean describe);

    /**
     * A row for each image.
     *
     * @param probabilities [images][classes]
     * @param descriptors [images][descriptor's length]; rows are empty if they were not wanted
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    record Answers(float[][] probabilities, float[][] descriptors) {}

    @Override
    void close();

    /** The parts of a loaded model that compute gradients. They belong to the model and are freed with it. */
    public record Differentiable(Backbone backbone, Network network) {}
}
