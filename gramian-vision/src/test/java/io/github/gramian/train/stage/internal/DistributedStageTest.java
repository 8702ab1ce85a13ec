package io.github.gramian.train.stage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.Ranks;
import io.github.gramian.tensor.Precision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stage of a process group, simulated by threads and in double, where rounding cannot hide a mistake. */
@Tag("slow")
class DistributedStageTest {

    @TempDir
    private Path folder;

    private Path weights(String name, int rank) {
        return folder.resolve(name + "-" + rank + ".safetensors");
    }

    @ParameterizedTest
    @CsvSource({"2, 1, cosine", "3, 1, plateau", "4, 2, cosine", "4, 3, constant"})
    void sharded_batches_give_the_weights_of_whole_ones(int size, int accumulate, String schedule) throws Exception {
        DistributedStage stage = new DistributedStage(
                Precision.DOUBLE,
                List.of("stage1.epochs=6", "stage1.accumulate=" + accumulate, "stage1.schedule=" + schedule));
        stage.run(DistributedConfig.singleProcess(), folder.resolve("alone"), weights("alone", 0), Duration.ZERO);
        Ranks.run(size, distributed -> {
            stage.run(distributed, folder.resolve("shared"), weights("shared", distributed.rank()), Duration.ZERO);
            return distributed;
        });
        assertThat(DistributedStage.distance(weights("shared", 0), weights("alone", 0)))
                .isLessThan(1e-10);
        for (int rank = 1; rank < size; rank++) {
            assertThat(weights("shared", rank)).hasSameBinaryContentAs(weights("shared", 0));
        }
        assertThat(Files.readAllLines(folder.resolve("shared/events.jsonl"))).hasSize(7);
    }
}
