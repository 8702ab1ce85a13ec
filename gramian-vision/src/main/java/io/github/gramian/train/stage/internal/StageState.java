package io.github.gramian.train.stage.internal;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.optim.internal.Plateau;
import java.util.List;
import java.util.stream.Stream;

/**
 * The position of a stage, in addition to its tensors. Randomness needs no separate state: every draw follows from the seed and this
 * position.
 *
 * @param stage 1 or 2
 * @param epoch that is being trained, from 1
 * @param batch batches of it that are done
 * @param step optimizer steps of the stage that are done
 * @param tally over the views of the epoch so far
 * @param plateau schedule that follows the validation loss
 * @param plateauRates the rates of that schedule in the epochs that are over
 * @param best the best epoch so far
 * @param events lines of the event log that belong to what was done
 * @param finished whether the stage is over
 */
public record StageState(
        int stage,
        int epoch,
        int batch,
        long step,
        @JsonUnwrapped Tally tally,
        Plateau plateau,
        List<Double> plateauRates,
        @JsonUnwrapped Best best,
        int events,
        boolean finished) {

    public StageState {
        plateauRates = List.copyOf(plateauRates);
    }

    /**
     * What was seen of training views.
     *
     * @param lossSum sum of their losses
     * @param correct number that was classified correctly
     * @param seen number of views
     */
    public record Tally(double lossSum, long correct, long seen) {

        static final Tally NOTHING = new Tally(0, 0, 0);

        Tally plus(Tally more) {
            return new Tally(lossSum + more.lossSum, correct + more.correct, seen + more.seen);
        }

        double loss() {
            return lossSum / seen;
        }

        double accuracy() {
            return (double) correct / seen;
        }
    }

    /**
     * The weights to beat. The names are those of the checkpoint.
     *
     * @param bestError validation error
     * @param bestLoss validation loss
     * @param bestEpoch which epoch left them; −1 before any
     */
    public record Best(double bestError, double bestLoss, int bestEpoch) {

        private static final Best NONE = new Best(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, -1);
    }

    static StageState start(int stage, int patience, int events) {
        return new StageState(
                stage, 1, 0, 0, Tally.NOTHING, Plateau.from(1, 0.1, patience), List.of(), Best.NONE, events, false);
    }

    /** Training views of the epoch so far. */
    long seen() {
        return tally.seen();
    }

    StageState afterBatch(boolean stepped, Tally more) {
        return new StageState(
                stage,
                epoch,
                batch + 1,
                stepped ? step + 1 : step,
                tally.plus(more),
                plateau,
                plateauRates,
                best,
                events,
                false);
    }

    StageState withBest(double error, double loss, int ofEpoch) {
        return new StageState(
                stage,
                epoch,
                batch,
                step,
                tally,
                plateau,
                plateauRates,
                new Best(error, loss, ofEpoch),
                events,
                finished);
    }

    StageState nextEpoch(Plateau observed, int logged) {
        List<Double> rates =
                Stream.concat(plateauRates.stream(), Stream.of(plateau.rate())).toList();
        return new StageState(stage, epoch + 1, 0, step, Tally.NOTHING, observed, rates, best, logged, false);
    }

    StageState withEvents(int logged) {
        return new StageState(stage, epoch, batch, step, tally, plateau, plateauRates, best, logged, finished);
    }

    StageState done() {
        return new StageState(stage, epoch, batch, step, tally, plateau, plateauRates, best, events, true);
    }

    /** The epochs whose weights a finished stage ends with. */
    Stage.Epochs epochs(boolean best) {
        int count = best ? best().bestEpoch() : epoch - 1;
        return new Stage.Epochs(count, plateauRates.subList(0, count));
    }

    /**
     * Whether these weights are better than the best so far: by error where there are enough images, otherwise by loss,
     * since the error of a few dozen images moves in steps too coarse to distinguish epochs. (A loss is finer, but soon
     * rises while the error still falls: the classifier becomes overconfident.)
     */
    boolean isBetter(double error, double loss, boolean byError) {
        int errors = byError ? Double.compare(error, best.bestError()) : 0;
        return errors < 0
                || (errors == 0 && (loss < best.bestLoss() || (loss == best.bestLoss() && error < best.bestError())));
    }
}
