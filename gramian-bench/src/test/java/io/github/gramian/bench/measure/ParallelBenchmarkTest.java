package io.github.gramian.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.distributed.Ranks;
import io.github.gramian.train.SmallRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParallelBenchmarkTest {

    @TempDir
    private Path folder;

    @Tag("slow")
    @Test
    void the_first_process_reports_the_speed_of_all() throws Exception {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            files.add(folder.resolve(i + ".png"));
            SmallRuns.draw(files.get(i), "rows", i);
        }
        List<Optional<ParallelBenchmark.Result>> results = Ranks.run(
                2, distributed -> new ParallelBenchmark(2, 2, 1).run(distributed, files, folder.resolve("shared")));
        assertThat(results.get(1)).isEmpty();
        ParallelBenchmark.Result result = results.get(0).orElseThrow();
        assertThat(result.processes()).isEqualTo(2);
        assertThat(result.images()).isEqualTo(4);
        assertThat(result.efficiency())
                .isCloseTo(result.togetherPerSecond() / result.alonePerSecond() / 2, within(1e-9));
        assertThat(result.waitingShare()).isBetween(0.0, 1.0);
    }

    @Test
    void a_round_of_one_batch_has_no_waiting_to_report() {
        assertThatThrownBy(() -> new ParallelBenchmark(4, 1, 1)).hasMessageContaining("2 batches");
    }
}
