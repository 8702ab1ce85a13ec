package io.github.gramian.serve.protocol.internal;

import io.github.gramian.model.internal.NeighbourSearch;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A request for inference, read and checked.
 *
 * @param id of the client, to be sent back
 * @param outputs what to answer, in this order
 * @param coverage of sets of classes; empty if none are asked for
 * @param neighbours which photographs of the index are wanted; empty if that output is not asked for
 * @param timeoutMicros time limit set by the client; 0 for none
 */
public record InferRequest(
        Optional<String> id,
        List<ImageInput> images,
        List<OutputRequest> outputs,
        OptionalDouble coverage,
        Optional<NeighbourSearch.Query> neighbours,
        long timeoutMicros) {

    public InferRequest {
        images = List.copyOf(images);
        outputs = List.copyOf(outputs);
    }
}
