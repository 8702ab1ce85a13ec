package io.github.gramian.train;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.certainty.internal.CertaintyFit;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.MapsInMemory;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;

class TrainedCertaintyTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int SIZE = 60;
    private static final int CLASSES = 4;

    /** Images of the network's own training are more typical than images that it has not seen. */
    @Test
    void held_out_images_calibrate_a_network_that_has_learned_from_the_others() {
        try (Scope scope = Scope.open();
                Network network = averages()) {
            CertaintyFit.Sketches training = TrainedCertainty.sketches(network, images(200, 0.05, 1));
            CertaintyFit.Sketches others = TrainedCertainty.sketches(network, images(120, 0.5, 2));
            float[] own = CertaintyFit.novelty(training).orElseThrow().calibration();
            float[] heldOut = CertaintyFit.heldOut(training, others);
            Novelty reference = CertaintyFit.novelty(training, heldOut).orElseThrow();
            assertThat(own).hasSize(200);
            assertThat(reference.calibration()).hasSize(120).containsExactlyInAnyOrder(heldOut);
            assertThat(mean(heldOut)).isGreaterThan(mean(own) + 1);
        }
    }

    private static double mean(float[] values) {
        return IntStream.range(0, values.length)
                .mapToDouble(i -> values[i])
                .average()
                .orElseThrow();
    }

    private static Network averages() {
        DescriptorConfig plain = new DescriptorConfig(0, -1, 0, Fidelity.EXACT);
        BranchConfig branch = new BranchConfig("a", 32, 0, false, new AggregatorConfig.Average(), plain);
        return new Network(new NetworkConfig(List.of(branch), 5), List.of(SIZE), CLASSES, FLOAT, new Seed(3));
    }

    /** Images around the centres of their classes. */
    private static BatchSource images(int count, double deviation, long seed) {
        Tensor centres = new Seed(9).normal(FLOAT, CLASSES, SIZE, 1);
        int[] labels = IntStream.range(0, count).map(i -> i * CLASSES / count).toArray();
        Tensor noise = new Seed(seed).normal(FLOAT, count, SIZE, 1).mul_(scalar(deviation));
        return new MapsInMemory(1, noise.add_(centres.index_select(0, HostCopy.labels(labels, FLOAT))), labels);
    }
}
