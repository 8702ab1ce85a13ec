package io.github.gramian.distributed.internal;

import io.github.gramian.distributed.DistributedConfig;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** The group of a single process: exchanges do nothing. */
record SingleProcess() implements ProcessGroup {

    @Override
    public DistributedConfig distributed() {
        return DistributedConfig.singleProcess();
    }

    @Override
    public PendingCollective sum(List<Tensor> tensors) {
        return PendingCollective.none();
    }

    @Override
    public void broadcast(List<Tensor> tensors) {}

    @Override
    public double secondsWaited() {
        return 0;
    }

    @Override
    public void close() {}
}
