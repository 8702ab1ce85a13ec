package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Images to tokens [batch, 1 + registers + patches, channels]: a class token, registers, and w ∗ x + b of every patch. Class
 * token and patches have an embedding of their position added, registers have not.
 */
record EmbeddingStep(Tap tap, Convolution patches, PositionEmbedding positions, int registers) implements Step {

    private static final String CLASS = "cls_token";
    private static final String REGISTERS = "register_tokens";
    private static final String POSITIONS = "pos_embed";

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        long channels = patches.outputs();
        weight.accept(CLASS, List.of(1L, 1L, channels));
        if (registers > 0) {
            weight.accept(REGISTERS, List.of(1L, (long) registers, channels));
        }
        weight.accept(POSITIONS, List.of(1L, 1L + PositionEmbedding.POSITIONS, channels));
        patches.declare(weight);
    }

    @Override
    public Tensor forward(Tensor images, WeightTable weights) {
        Tensor maps = patches.forward(images, weights);
        long rows = maps.size(2);
        long columns = maps.size(3);
        Tensor tokens = maps.permute(0, 2, 3, 1).reshape(maps.size(0), rows * columns, -1);
        Tensor placed = tokens.add(grid(weights, rows, columns));
        Tensor whole = whole(weights).expand(tokens.size(0), -1, -1);
        return torch.cat(new TensorVector(whole, placed), 1);
    }

    /** Class token at its position, and registers: [1, 1 + registers, channels]. */
    private Tensor whole(WeightTable weights) {
        Tensor token = weights.get(CLASS).add(weights.get(POSITIONS).narrow(1, 0, 1));
        return registers == 0 ? token : torch.cat(new TensorVector(token, weights.get(REGISTERS)), 1);
    }

    /** Embeddings of the patches' positions: [1, rows·columns, channels]. */
    private Tensor grid(WeightTable weights, long rows, long columns) {
        Tensor stored = weights.get(POSITIONS).narrow(1, 1, PositionEmbedding.POSITIONS);
        return positions.resized(stored, rows, columns);
    }

    @Override
    public Tensor features(Tensor tokens, long height, long width) {
        return Tokens.maps(tokens, 1 + registers, height / tap.stride(), width / tap.stride());
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Embedding(
                tap, patches.described(weights), () -> whole(weights), side -> grid(weights, side, side));
    }
}
