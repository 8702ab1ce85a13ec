package io.github.gramian.serve.inference.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.ModelRepository.Lease;
import io.github.gramian.serve.protocol.internal.InferRequest.ImageInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        assertThat(inference.read(lease, "a", List.of(new ImageInput.Encoded(new byte[] {1})), deadline))
                .isCompletedExceptionally();
        assertThat(lease.model().batcher().waiting()).isZero();
        models.close();
    }

    /** Each request that arrives while the server ends is answered or refused; none hangs, and none holds the model. */
    @Test
    @Timeout(60)
    void no_request_is_lost_while_the_pipeline_is_closed() throws Exception {
        ServerMetrics metrics = new ServerMetrics();
        ModelRepository models = ModelRepository.load(
                List.of(new ModelSpec("textures", "1", SmallModels.first())),
                new BatchLimits(8, Duration.ZERO, 64),
                spec -> metrics.batches(spec.toString()));
        ImageInput image = new ImageInput.Encoded(SmallModels.image(0));
        long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        for (int round = 0; round < 10; round++) {
            InferencePipeline inference = new InferencePipeline(ImageLimits.DEFAULT, Long.MAX_VALUE, metrics);
            Thread closing = new Thread(inference::close);
            List<CompletableFuture<List<Reading>>> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                if (i == 1 + round) {
                    closing.start();
                }
                answers.add(inference.read(models.lease("textures", Optional.empty()), "a", List.of(image), deadline));
            }
            for (CompletableFuture<List<Reading>> answer : answers) {
                assertThat(answer.handle((readings, failure) -> readings != null || isRefusal(failure))
                                .get())
                        .isTrue();
            }
            closing.join();
        }
        models.close();
    }

    private static boolean isRefusal(Throwable failure) {
        return String.valueOf(failure).contains(RejectedExecutionException.class.getName());
    }
}
