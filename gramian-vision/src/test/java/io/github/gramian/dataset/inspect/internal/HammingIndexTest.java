package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HammingIndexTest {

    private static long flipped(long hash, int bits, SplittableRandom random) {
        long changed = hash;
        while (Long.bitCount(hash ^ changed) < bits) {
            changed ^= 1L << random.nextInt(64);
        }
        return changed;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_index_finds_what_comparing_all_finds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long query = random.nextLong();
        long[] hashes = LongStream.range(0, 3000)
                .map(i -> i % 3 == 0 ? random.nextLong() : flipped(query, random.nextInt(20), random))
                .toArray();
        List<HammingIndex.Neighbour> expected = IntStream.range(0, hashes.length)
                .mapToObj(i -> new HammingIndex.Neighbour(i, Long.bitCount(query ^ hashes[i])))
                .filter(near -> near.distance() <= HammingIndex.RADIUS)
                .toList();
        assertThat(new HammingIndex(hashes).near(query, Integer.MAX_VALUE))
                .containsExactlyInAnyOrderElementsOf(expected)
                .isSortedAccordingTo((one, other) -> one.distance() - other.distance());
    }

    @Test
    void the_nearest_come_first_and_no_more_than_asked_for() {
        SplittableRandom random = new SplittableRandom(5);
        long[] hashes = {flipped(0, 9, random), flipped(0, 3, random), 0, flipped(0, 12, random), 0};
        assertThat(new HammingIndex(hashes).near(0, 3))
                .containsExactly(
                        new HammingIndex.Neighbour(2, 0),
                        new HammingIndex.Neighbour(4, 0),
                        new HammingIndex.Neighbour(1, 3));
    }

    @Test
    void a_crowd_of_equal_hashes_does_not_slow_the_search() {
        long[] crowd = new long[200_000];
        Arrays.fill(crowd, 42);
        HammingIndex index = new HammingIndex(crowd);
        // Comparing all with all would take 40,000,000,000 comparisons.
        for (int i = 0; i < 20_000; i++) {
            assertThat(index.near(42 ^ (i & 3), 2)).hasSize(2);
        }
    }
}
