package io.github.gramian.serve.model.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.serve.SmallModels;
import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.metrics.internal.ServerMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ModelRepositoryTest {

    @Test
    void a_closed_repository_neither_lends_nor_loads() throws Exception {
        ServerMetrics metrics = new ServerMetrics();
        ModelRepository models = ModelRepository.load(
                List.of(new ModelSpec("textures", "1", SmallModels.first())),
                new BatchLimits(2, Duration.ZERO, 4),
                spec -> metrics.batches(spec.toString()));
        models.close();
        models.close();
        assertThatThrownBy(() -> models.lease("textures", Optional.empty())).isInstanceOf(UnknownModelException.class);
        assertThatThrownBy(() -> models.reload("textures", Optional.empty()))
                .isInstanceOf(UnknownModelException.class)
                .hasMessageContaining("textures:1 is not served any more");
    }
}
