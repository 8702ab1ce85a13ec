package io.github.gramian.train.stage.internal;

import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.NetworkPredictions;
import org.jspecify.annotations.Nullable;

/** Sends the events of a stage, with its speed. */
final class StageReporter {

    private final Stage stage;
    private final StageRates rates;
    private final TrainingListener listener;
    private long epochStart;
    private long seenBefore;

    StageReporter(Stage stage, StageRates rates, TrainingListener listener) {
        this.stage = stage;
        this.rates = rates;
        this.listener = listener;
    }

    /** @param seen views of the epoch that were trained on before it was resumed */
    void startEpoch(long seen) {
        epochStart = System.nanoTime();
        seenBefore = seen;
    }

    /** Seconds since the epoch was started. */
    double seconds() {
        return (System.nanoTime() - epochStart) / 1e9;
    }

    void step(StageState state, int batches) {
        double speed = (state.seen() - seenBefore) / seconds();
        long imagesLeft =
                (long) stage.training().count() * stage.training().views() * (stage.epochs() - state.epoch() + 1)
                        - state.seen();
        listener.onEvent(new TrainingEvent.Step(
                stage.number(),
                stage.onAll(),
                state.epoch(),
                stage.epochs(),
                state.batch(),
                batches,
                state.tally().loss(),
                state.tally().accuracy(),
                speed,
                imagesLeft / speed));
    }

    /**
     * What was measured at the end of an epoch.
     *
     * @param epoch that is over, 0 for the start
     * @param seconds that it took, without validation
     * @param health of the network; null in processes that send no events
     */
    record Measured(int epoch, double seconds, @Nullable Health health) {}

    /** An epoch is over. Only the leader, which has examined the network, reports it. */
    void epoch(StageState state, Measured measured, @Nullable NetworkPredictions validation, boolean best) {
        if (measured.health() == null) {
            return;
        }
        boolean start = measured.epoch() == 0;
        listener.onEvent(new TrainingEvent.Epoch(
                stage.number(),
                stage.onAll(),
                measured.epoch(),
                state.step(),
                rates.factor(state),
                start ? null : (Double) state.tally().loss(),
                start ? null : (Double) state.tally().accuracy(),
                validation == null ? null : (Double) validation.loss(),
                validation == null ? null : (Double) validation.accuracy(),
                start ? 0 : (state.seen() - seenBefore) / measured.seconds(),
                measured.seconds(),
                best,
                measured.health()));
    }
}
