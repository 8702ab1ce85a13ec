package io.github.gramian.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Health of a network, measured on a few training images; what a network does not have is null.
 *
 * @param deadChannels fraction of channels that are zero at every position of every image
 * @param sigmaSmallest smallest width of the kernel
 * @param sigmaLargest largest width of the kernel
 * @param kernelSmallestEigenvalue of K
 * @param kernelCondition largest over smallest eigenvalue of K
 * @param transformedSmallestEigenvalue of Y, before a ReLU
 * @param transformedCondition of Y
 * @param negativeAfterRelu fraction of eigenvalues of Y that are negative after an element-wise ReLU
 * @param orthonormality largest entry of |WᵀW − I|
 * @param gradientNorms length of the last step's gradient, by parameter
 * @param warnings problems, and what to try
 */
public record Health(
        @Nullable Double deadChannels,
        @Nullable Double sigmaSmallest,
        @Nullable Double sigmaLargest,
        @Nullable Double kernelSmallestEigenvalue,
        @Nullable Double kernelCondition,
        @Nullable Double transformedSmallestEigenvalue,
        @Nullable Double transformedCondition,
        @Nullable Double negativeAfterRelu,
        @Nullable Double orthonormality,
        Map<String, Double> gradientNorms,
        List<String> warnings) {

    public Health {
        gradientNorms = Collections.unmodifiableMap(new LinkedHashMap<>(gradientNorms));
        warnings = List.copyOf(warnings);
    }
}
