package io.github.gramian.run.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.RandomMaps;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class CancellationTokenTest {

    private final AtomicBoolean requested = new AtomicBoolean();
    private final CancellationToken token =
            new CancellationToken(requested::get, () -> new IllegalStateException("cancelled"));
    private final BatchSource images = new RandomMaps(5, 2, List.of(3), 4, Placement.cpu(Precision.FLOAT), new Seed(1));

    @Test
    void a_check_throws_the_given_exception_once_the_caller_cancels() {
        assertThatCode(token::check).doesNotThrowAnyException();
        requested.set(true);
        assertThat(token.isCancelled()).isTrue();
        assertThatThrownBy(token::check).hasMessage("cancelled");
    }

    @Test
    void a_checking_source_throws_before_the_next_batch() {
        try (Scope scope = Scope.open();
                BatchSource.Stream batches = token.checking(images).open(images.inOrder(), 2, new Seed(1))) {
            assertThat(batches.next().images()).hasSize(2);
            requested.set(true);
            assertThat(batches.hasNext()).isTrue();
            assertThatThrownBy(batches::next).hasMessage("cancelled");
        }
    }

    @Test
    void a_source_with_grace_delivers_the_batches_that_follow_at_once() {
        requested.set(true);
        try (Scope scope = Scope.open();
                BatchSource.Stream batches = token.checkingAfterGrace(images).open(images.inOrder(), 2, new Seed(1))) {
            while (batches.hasNext()) {
                batches.next();
            }
        }
    }
}
