package io.github.gramian.optim;

import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/** Memory for what a step computes on the way, kept from step to step: as much as the largest parameter needs, twice. */
final class Workspace implements AutoCloseable {

    private @Nullable Tensor first;
    private @Nullable Tensor second;

    /** Room for a vector like this one; what was in it is gone. */
    Tensor first(Tensor like) {
        first = atLeast(first, like);
        return first.narrow(0, 0, like.numel());
    }

    /** More room. */
    Tensor second(Tensor like) {
        second = atLeast(second, like);
        return second.narrow(0, 0, like.numel());
    }

    private static Tensor atLeast(@Nullable Tensor room, Tensor like) {
        if (room != null && room.numel() >= like.numel() && room.dtype().equals(like.dtype())) {
            return room;
        }
        if (room != null) {
            Scope.disown(room);
        }
        return Scope.own(torch.empty_like(like));
    }

    @Override
    public void close() {
        if (first != null) {
            Scope.disown(first);
            first = null;
        }
        if (second != null) {
            Scope.disown(second);
            second = null;
        }
    }
}
