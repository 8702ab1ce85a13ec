package io.github.gramian.train.descriptor.internal;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkDescriptorsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private static Network average() {
        BranchConfig branch = new BranchConfig(
                "a", 32, 4, true, new AggregatorConfig.Average(), new DescriptorConfig(0, 1e-3, 0, Fidelity.EXACT));
        return new Network(new NetworkConfig(List.of(branch), 5), List.of(5), 3, DOUBLE, new Seed(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void a_row_is_the_mean_descriptor_of_an_image_s_views(int views) {
        try (Scope scope = Scope.open();
                Network network = average()) {
            Tensor maps = new Seed(3).child("maps").normal(DOUBLE, 6L * views, 5, 9);
            NetworkDescriptors rows = new NetworkDescriptors(network, new MapsInMemory(views, maps), 2);
            assertThat(rows.count()).isEqualTo(6);
            Tensor each = network.describe(List.of(maps.narrow(0, views, 4L * views)));
            Tensor expected = each.reshape(4, views, -1).mean(1);
            assertThat(rows.rows(1, 5).sub(expected).abs().max().item_double()).isLessThan(1e-12);
        }
    }
}
