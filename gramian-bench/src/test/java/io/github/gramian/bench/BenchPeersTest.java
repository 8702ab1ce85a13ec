package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("speed") // once, on one JDK
class BenchPeersTest {

    private static final Object[] TINY = {
        "bench", "peers", "--channels", 8, "--output", 4, "--positions", 10, "--batch", 2, "--rounds", 1
    };

    private static Object[] tiny(Object... more) {
        Object[] all = java.util.Arrays.copyOf(TINY, TINY.length + more.length);
        System.arraycopy(more, 0, all, TINY.length, more.length);
        return all;
    }

    @Test
    void peers_are_listed_next_to_ours_or_the_table_gives_the_reason() throws Exception {
        String table = gramian(tiny()).succeeded().out();
        assertThat(table).contains("ours").containsAnyOf("iSQRT-COV", "peers skipped");
        JsonNode result = gramian(tiny("--own-blas", "--json")).succeeded().json();
        assertThat(result.at("/ours/median").asDouble()).isPositive();
        for (JsonNode peer : result.get("peers")) {
            assertThat(peer.get("oursOverPeer").asDouble()).isPositive();
        }
    }

    @Test
    void a_missing_python_is_reported_and_not_an_error() {
        assertThat(gramian(tiny("--python", "no-such-python")).succeeded().out())
                .contains("peers skipped: no Python with PyTorch among no-such-python");
    }
}
