package io.github.gramian.backbone.engine.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;

class FrozenEnginesTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final List<String> TAPS = List.of("layer");

    private final List<Fake> opened = new ArrayList<>();

    /** An engine that computes a given function of the images. */
    private static final class Fake implements FrozenEngine {

        private final UnaryOperator<Tensor> function;
        private boolean closed;

        Fake(UnaryOperator<Tensor> function) {
            this.function = function;
        }

        @Override
        public String name() {
            return "an engine of the test";
        }

        @Override
        public List<Tensor> features(Tensor images) {
            assertThat(closed).isFalse();
            return List.of(function.apply(images));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** The engines of a network that doubles its input, on an engine that computes some function. */
    private FrozenEngines engines(UnaryOperator<Tensor> function) {
        return engines(function, false);
    }

    private FrozenEngines engines(UnaryOperator<Tensor> function, boolean anySize) {
        CheckedEngines.Opener opener = new CheckedEngines.Opener("an engine of the test", request -> {
            Fake engine = new Fake(function);
            opened.add(engine);
            return Optional.of(engine);
        });
        CheckedEngines checked = new CheckedEngines(List.of(opener), (images, taps) -> List.of(images.mul(scalar(2))));
        return new FrozenEngines(checked::open, anySize);
    }

    private static Tensor images(int height, int width) {
        return new Seed(1).normal(FLOAT, 2, 3, height, width);
    }

    @Test
    void an_engine_that_agrees_is_opened_once_and_used() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> x.add(x))) {
            assertThat(engines.features(images(8, 8), TAPS)).isPresent();
            assertThat(engines.features(images(8, 8), TAPS)).isPresent();
            assertThat(opened).hasSize(1);
            assertThat(engines.name()).hasValue("an engine of the test");
        }
        assertThat(opened.get(0).closed).isTrue();
    }

    @Test
    void an_engine_with_a_wrong_operator_is_closed_and_never_used() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> x.mul(scalar(2.001)))) {
            assertThat(engines.features(images(8, 8), TAPS)).isEmpty();
            assertThat(engines.features(images(8, 8), TAPS)).isEmpty();
            assertThat(opened).hasSize(1);
            assertThat(opened.get(0).closed).isTrue();
        }
    }

    @Test
    void an_engine_that_computes_nan_is_never_used() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> x.mul(scalar(Double.NaN)))) {
            assertThat(engines.features(images(8, 8), TAPS)).isEmpty();
        }
    }

    @Test
    void an_engine_that_fails_is_closed_and_never_used() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> {
                    throw new IllegalStateException("no memory");
                })) {
            assertThat(engines.features(images(8, 8), TAPS)).isEmpty();
            assertThat(opened.get(0).closed).isTrue();
        }
    }

    @Test
    void only_a_few_engines_are_open_at_once() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> x.add(x))) {
            for (int size = 8; size < 8 + 2 * FrozenEngines.MAX_OPEN; size++) {
                engines.features(images(size, size), TAPS);
                engines.features(images(8, 8), TAPS);
            }
            assertThat(opened).filteredOn(engine -> !engine.closed).hasSize(FrozenEngines.MAX_OPEN);
            assertThat(opened.get(0).closed)
                    .as("the engine that is used all the time")
                    .isFalse();
        }
    }

    @Test
    void the_first_sizes_have_their_own_engines_and_all_other_sizes_share_one_if_the_network_allows_it() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> x.add(x), true)) {
            for (int size = 8; size < 20; size++) {
                assertThat(engines.features(images(size, size), TAPS)).isPresent();
            }
            engines.features(images(8, 8), TAPS);

            assertThat(opened).hasSize(FrozenEngines.MAX_OWN_SIZES + 1);
            assertThat(opened).noneMatch(engine -> engine.closed);
        }
    }

    @Test
    void libtorch_computes_images_that_need_gradients_and_images_that_are_not_square() {
        try (Scope scope = Scope.open();
                FrozenEngines engines = engines(x -> x.add(x))) {
            Tensor learned = images(8, 8);
            learned.set_requires_grad(true);

            assertThat(engines.features(learned, TAPS)).isEmpty();
            assertThat(engines.features(images(8, 16), TAPS)).isEmpty();
        }
    }

    @Test
    void the_name_is_that_of_an_open_engine_even_while_another_thread_opens_it() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch mayOpen = new CountDownLatch(1);
        FrozenEngines engines = new FrozenEngines(
                request -> {
                    opening.countDown();
                    awaited(mayOpen);
                    return Optional.of(new Fake(x -> x));
                },
                true);
        AtomicReference<Optional<String>> name = new AtomicReference<>(Optional.empty());
        Thread user = new Thread(() -> {
            try (Scope scope = Scope.open()) {
                engines.features(images(8, 8), TAPS);
            }
        });
        Thread reporter = new Thread(() -> name.set(engines.name()));
        user.start();
        opening.await();
        reporter.start();
        while (reporter.getState() != Thread.State.WAITING && reporter.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        mayOpen.countDown();
        user.join();
        reporter.join();
        assertThat(name.get()).hasValue("an engine of the test");
        engines.close();
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
