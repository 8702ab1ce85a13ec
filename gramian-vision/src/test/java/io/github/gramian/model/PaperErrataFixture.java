package io.github.gramian.model;

import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.Bandwidth.Gradient;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;

/** Measures that show the places where the paper is wrong or silent. */
abstract class PaperErrataFixture {

    static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    static KernelAggregation rbf(Gradient gradient) {
        return KernelAggregation.of(new RbfKernel("kernel", new Bandwidth.PerImage(gradient), DOUBLE));
    }

    static double smallestEigenvalue(Tensor matrices) {
        return Symmetric.eigen(matrices).values().min().item_double();
    }

    static double relative(Tensor actual, Tensor expected) {
        return actual.sub(expected).norm().item_double() / expected.norm().item_double();
    }

    static double cosine(Tensor a, Tensor b) {
        return a.mul(b).sum().item_double() / (a.norm().item_double() * b.norm().item_double());
    }
}
