package io.github.gramian.backbone.internal;

import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;

/**
 * y = γ (x − μ) / √(σ² + ε) + β with the stored μ and σ², also in training: batches are small there and ImageNet's statistics
 * are better than theirs. γ and β can be trained.
 */
record BatchNorm(String name, int channels, double epsilon) {

    void declare(BiConsumer<String, List<Long>> weight) {
        for (String part : List.of("weight", "bias", "running_mean", "running_var")) {
            weight.accept(name + "." + part, List.of((long) channels));
        }
    }

    Tensor forward(Tensor x, WeightTable weights) {
        return torch.batch_norm(
                x,
                part("weight", weights),
                part("bias", weights),
                part("running_mean", weights),
                part("running_var", weights),
                false,
                0,
                epsilon,
                false);
    }

    /** In its own precision: LibTorch takes float statistics for lower-precision activations. */
    private TensorOptional part(String part, WeightTable weights) {
        return new TensorOptional(weights.get(name + "." + part));
    }
}
