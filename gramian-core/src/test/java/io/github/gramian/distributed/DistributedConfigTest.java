package io.github.gramian.distributed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.distributed.internal.IndexRange;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DistributedConfigTest {

    @ParameterizedTest
    @CsvSource({"0, 3", "1, 3", "2, 4", "6, 4", "7, 3", "32, 5", "100, 1"})
    void every_item_belongs_to_exactly_one_process_in_the_order_of_ranks(int things, int size) {
        int next = 0;
        for (int rank = 0; rank < size; rank++) {
            IndexRange share = IndexRange.of(
                    things, new DistributedConfig(rank, size, new Rendezvous.AtPort("here", 1), Duration.ofMinutes(1)));
            assertThat(share.first()).isEqualTo(next);
            assertThat(share.count()).isBetween(things / size, (things + size - 1) / size);
            next += share.count();
        }
        assertThat(next).isEqualTo(things);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void a_larger_batch_never_means_fewer_images_for_a_process(int rank) {
        DistributedConfig distributed = DistributedConfig.at("here:1", rank, 5);
        for (int things = 0; things < 40; things++) {
            assertThat(IndexRange.of(things, distributed).count())
                    .isLessThanOrEqualTo(IndexRange.of(things + 1, distributed).count());
        }
    }

    @Test
    void a_store_is_a_host_and_a_port() {
        assertThat(DistributedConfig.at("node1:29400", 1, 2).waiting(Duration.ofSeconds(5)))
                .isEqualTo(new DistributedConfig(1, 2, new Rendezvous.AtPort("node1", 29400), Duration.ofSeconds(5)));
        assertThat(DistributedConfig.at("[::1]:29400", 0, 2).meeting()).isEqualTo(new Rendezvous.AtPort("::1", 29400));
        Path file = Path.of("store").toAbsolutePath();
        assertThat(DistributedConfig.at("file:" + file, 0, 2).meeting()).isEqualTo(new Rendezvous.InFile(file));
        assertThatThrownBy(() -> DistributedConfig.at("file:store", 0, 2)).hasMessageContaining("absolute");
        assertThat(DistributedConfig.singleProcess().isSingleProcess()).isTrue();
        assertThat(DistributedConfig.singleProcess().leads()).isTrue();
    }

    @Test
    void an_impossible_process_group_is_refused_with_the_reason() {
        assertThatThrownBy(() -> DistributedConfig.at("node1", 0, 2)).hasMessageContaining("host:port", "node1");
        assertThatThrownBy(() -> DistributedConfig.at(":29400", 0, 2)).hasMessageContaining("host:port");
        assertThatThrownBy(() -> DistributedConfig.at("node1:x", 0, 2)).hasMessageContaining("host:port");
        assertThatThrownBy(() -> DistributedConfig.at("node1:0", 0, 2)).hasMessageContaining("1..65535");
        assertThatThrownBy(() -> DistributedConfig.at("node1:70000", 0, 2)).hasMessageContaining("1..65535");
        assertThatThrownBy(() -> DistributedConfig.at(" :1", 0, 2)).hasMessageContaining("a place to meet");
        assertThatThrownBy(() -> DistributedConfig.at("node1:1", 2, 2))
                .hasMessageContaining("0..1", "ranks count from 0");
        assertThatThrownBy(() -> DistributedConfig.at("node1:1", -1, 2)).hasMessageContaining("0..1");
        assertThatThrownBy(() -> DistributedConfig.at("node1:1", 0, 0)).hasMessageContaining("1 to 1024");
        assertThatThrownBy(() -> DistributedConfig.singleProcess().waiting(Duration.ZERO))
                .hasMessageContaining("a second");
    }
}
