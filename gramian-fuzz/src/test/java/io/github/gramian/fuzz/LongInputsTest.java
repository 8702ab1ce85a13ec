package io.github.gramian.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs near their maximum length, which a fuzzer's short inputs do not reach: refused in time, too. */
class LongInputsTest {

    private static final int MAX_LENGTH = (1 << 18) - 1000;

    @ParameterizedTest
    @ValueSource(strings = {"recipe", "grid", "space", "serve-file"})
    void a_long_unknown_key_is_refused_in_time(String target) throws Exception {
        assertThat(accepted(target, "? " + "k".repeat(MAX_LENGTH) + "\n: 1\n")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"seeds", "splits"})
    void a_long_list_of_numbers_is_read_in_time(String key) throws Exception {
        String numbers =
                IntStream.range(0, MAX_LENGTH / 8).mapToObj(Integer::toString).collect(Collectors.joining(","));
        String grid = "name: a\ndatasets: {d: {images: x, " + key + ": [" + numbers + "]}}\nmethods: {m: {}}\n";
        assertThatCode(() -> accepted("grid", grid)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 40_000})
    void many_branches_are_refused_before_they_are_multiplied(int branches) throws Exception {
        String many = "[" + "{},".repeat(branches) + "]";
        String space = "name: a\ninputs: {i: {branches: " + many + "}}\nheads: {h: {branches: " + many + "}}\n";
        assertThat(accepted("space", space)).isFalse();
    }

    private static boolean accepted(String target, String input) throws Exception {
        return new Watch(FuzzTargets.named(target)).read(input.getBytes(StandardCharsets.UTF_8));
    }
}
