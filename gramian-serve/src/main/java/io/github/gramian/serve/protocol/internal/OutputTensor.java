package io.github.gramian.serve.protocol.internal;

import io.github.gramian.serve.protocol.internal.InferRequest.Datatype;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The tensors that a model gives, in the order of an answer to a request that names none. */
public enum OutputTensor {
    /** [images, classes]. */
    PROBABILITIES(Datatype.FP32),
    /** [images]: the name of the most probable class. */
    LABEL(Datatype.BYTES),
    /** [images, dimensions]: what the classifier sees. */
    DESCRIPTOR(Datatype.FP32),
    /** [images, 1]: the p-value of an image's novelty; only of models with a reference. */
    NOVELTY(Datatype.FP64),
    /**
     * [images, largest set]: classes as {@code value:index:label}, the best first, then empty strings. Needs a coverage, and a
     * model with calibration scores.
     */
    SET(Datatype.BYTES),
    /**
     * [images, most neighbours]: photographs of the index as {@code similarity:file}, the most similar first, then empty strings.
     * Only if a request names it.
     */
    NEIGHBOURS(Datatype.BYTES);

    private final Datatype datatype;

    OutputTensor(Datatype datatype) {
        this.datatype = datatype;
    }

    /** Its name in requests and answers. */
    public String tensorName() {
        return name().toLowerCase(Locale.ROOT);
    }

    Datatype datatype() {
        return datatype;
    }

    static OutputTensor named(String name) {
        return Arrays.stream(values())
                .filter(one -> one.tensorName().equals(name))
                .findFirst()
                .orElseThrow(() -> RequestException.malformed("no output is called '" + InferRequest.excerpt(name)
                        + "'; there are "
                        + Arrays.stream(values()).map(OutputTensor::tensorName).collect(Collectors.joining(", "))));
    }
}
