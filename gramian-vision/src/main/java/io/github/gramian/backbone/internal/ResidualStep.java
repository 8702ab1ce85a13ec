package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/** relu(path(x) + shortcut(x)): a residual block. ReLUs stand between the path's convolutions; no shortcut is identity. */
record ResidualStep(
        Tap tap, List<Convolution> path, @Nullable Convolution shortcut) implements Step {

    ResidualStep {
        path = List.copyOf(path);
    }

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        Tensor y = path.get(0).forward(x, weights);
        for (Convolution next : path.subList(1, path.size())) {
            torch.relu_(y);
            y = next.forward(y, weights);
        }
        y.add_(shortcut == null ? x : shortcut.forward(x, weights));
        torch.relu_(y);
        return y;
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Residual(
                tap,
                path.stream().map(one -> one.described(weights)).toList(),
                Optional.ofNullable(shortcut).map(one -> one.described(weights)));
    }

    @Override
    public List<Convolution> convolutions() {
        List<Convolution> all = new ArrayList<>(path);
        if (shortcut != null) {
            all.add(shortcut);
        }
        return all;
    }
}
