package io.github.gramian.serve.decoding.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.SmallModels;
import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.metrics.internal.ServerMetrics;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ModelSpec;
import io.github.gramian.serve.protocol.internal.ImageInput;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InferencePipelineTest {

    /** A model whose places are not given back is never freed, and the server never ends. */
    @Test
    void a_request_that_is_no_longer_decoded_returns_its_places() throws Exception {
        ServerMetrics metrics = new ServerMetrics();
        ModelRepository models = ModelRepository.load(
                List.of(new ModelSpec("textures", "1", SmallModels.first())),
                new BatchLimits(2, Duration.ZERO, 4),
                spec -> metrics.batches(spec.toString()));
        InferencePipeline inference = new InferencePipeline(ImageLimits.DEFAULT, Long.MAX_VALUE, metrics);
        inference.close();
        Lease lease = models.lease("textures", Optional.empty());
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        assertThatThrownBy(() -> inference.read(lease, "a", List.of(new ImageInput.Encoded(new byte[] {1})), deadline))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(lease.model().batcher().waiting()).isZero();
        models.close();
    }
}
