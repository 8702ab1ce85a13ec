package io.github.gramian.feature.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fuzz.FuzzTarget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Caches that contradict themselves although their checksums are valid. */
class ForgedCacheTest {

    private static FuzzTarget target(String name) {
        return CacheFuzz.targets().stream()
                .filter(target -> target.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "EMPTY", "NOBODY knows", " "})
    void a_reject_without_a_proper_reason_is_refused(String reasons) throws Exception {
        assertThat(target("cache-shard").accepts(CacheFuzz.shard(reasons))).isFalse();
    }

    /** Every entry of the index names the same place. */
    @ParameterizedTest
    @CsvSource({"1, 0", "-2, 0", "0, 2", "0, -2", "2147483647, 0", "0, -2147483648"})
    void an_index_that_names_a_row_that_does_not_exist_is_rebuilt(int shard, int row) throws Exception {
        FuzzTarget target = target("cache-index");
        ByteBuffer index = ByteBuffer.wrap(target.seeds().make().get(0)).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 40; at < index.capacity(); at += 24) {
            index.putLong(at, 0).putLong(at + 8, 0).putInt(at + 16, shard).putInt(at + 20, row);
        }
        assertThat(target.accepts(index.array())).isFalse();
    }

    @Test
    void the_genuine_ones_are_accepted() throws Exception {
        assertThat(target("cache-index")
                        .accepts(target("cache-index").seeds().make().get(0)))
                .isTrue();
        assertThat(target("cache-shard").accepts(CacheFuzz.shard("EMPTY nothing")))
                .isTrue();
    }
}
