package io.github.gramian.train.stage.internal;

import io.github.gramian.io.internal.Checksum;
import io.github.gramian.layer.Parameter;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.IOException;
import java.util.List;

/** A checksum over all bits of some weights: 32 bits that detect machines that round differently, not tampering. */
final class WeightsChecksum {

    private WeightsChecksum() {}

    static long of(List<Parameter> parameters) throws IOException {
        Checksum sum = new Checksum();
        for (Parameter parameter : parameters) {
            TensorBytes.write(parameter.value(), sum);
        }
        return sum.value();
    }
}
