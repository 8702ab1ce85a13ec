package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.distributed.internal.ProcessGroup.PendingCollective;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.internal.RunningMean.MeanParameter;
import java.util.ArrayList;
import java.util.List;

/**
 * The all-reduce of a batch: the shards' means, then gradients bucket by bucket, each exchanged while the gradients of
 * earlier layers are still being computed. The means lag one batch, so that no process waits for them in the forward pass.
 *
 * <p>A process without images in the batch contributes zeros, or the gradients of earlier batches of the
 * step.
 */
final class BatchAllReduce {

    private final ProcessGroup group;
    private final boolean steps;
    private final List<MeanParameter> means;
    private final List<PendingCollective> running = new ArrayList<>();

    /**
     * @param parameters all of the network
     * @param steps whether a step follows this batch; otherwise gradients remain in place, to be added to
     */
    BatchAllReduce(ProcessGroup group, List<Parameter> parameters, boolean steps) {
        this.group = group;
        this.steps = steps;
        this.means = group.distributed().isSingleProcess()
                ? List.of()
                : parameters.stream()
                        .filter(MeanParameter.class::isInstance)
                        .map(MeanParameter.class::cast)
                        .toList();
    }

    /** The forward computation is over. */
    void meansReady() {
        if (!means.isEmpty()) {
            running.add(group.sum(means.stream().map(Parameter::gradient).toList()));
        }
    }

    /** The gradients of these parameters are complete. */
    void gradientsReady(List<Parameter> parameters) {
        if (steps && !group.distributed().isSingleProcess()) {
            running.add(group.sum(parameters.stream()
                    .filter(Parameter::trainable)
                    .map(Parameter::gradient)
                    .toList()));
        }
    }

    /** Returns when parameters have the gradients and means of the whole batch. */
    void finish() {
        running.forEach(PendingCollective::await);
        means.forEach(MeanParameter::foldIn);
    }
}
