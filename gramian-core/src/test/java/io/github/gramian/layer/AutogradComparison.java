package io.github.gramian.layer;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.bytedeco.pytorch.Tensor;

/**
 * Output and gradients of a layer compared with those that LibTorch finds for its reference implementation, as relative differences.
 */
public record AutogradComparison(double output, double inputGradient, List<Double> parameterGradients) {

    public static AutogradComparison of(
            Layer layer, Tensor input, BiFunction<Tensor, List<Tensor>, Tensor> reference, Seed seed) {
        List<Parameter> trainable =
                layer.parameters().stream().filter(Parameter::trainable).toList();
        trainable.forEach(Parameter::clearGradient);
        Pass pass = layer.forward(input, Phase.inference());
        Tensor y = pass.output();
        Tensor G = seed.child("G").normal(Placement.of(input), y.sizes().vec().get());
        Tensor ours = pass.backward(G);

        Tensor x = input.clone().set_requires_grad(true);
        List<Tensor> values = trainable.stream()
                .map(parameter -> parameter.value().clone().set_requires_grad(true))
                .toList();
        Tensor theirsOut = reference.apply(x, values);
        theirsOut.mul(G).sum().backward();
        Tensor theirs = x.grad();
        if (isSymmetric(input)) {
            // Layers on symmetric matrices return the symmetric gradient.
            theirs = Symmetric.part(theirs);
            ours = Symmetric.part(ours);
        }
        List<Double> parameters = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            parameters.add(error(trainable.get(i).gradient(), values.get(i).grad()));
        }
        return new AutogradComparison(error(y, theirsOut), error(ours, theirs), parameters);
    }

    private static boolean isSymmetric(Tensor x) {
        return x.dim() == 3 && x.size(1) == x.size(2) && x.equal(x.mT());
    }

    public double worstError() {
        double worst = Math.max(output, inputGradient);
        for (double error : parameterGradients) {
            worst = Math.max(worst, error);
        }
        return worst;
    }

    /** ‖ours − theirs‖/‖theirs‖; absolute where theirs is all but zero. */
    private static double error(Tensor ours, Tensor theirs) {
        Tensor reference = theirs.detach();
        return ours.sub(reference).norm().item_double()
                / Math.max(reference.norm().item_double(), 1e-2);
    }
}
