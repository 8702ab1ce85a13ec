package io.github.gramian.train;

import io.github.gramian.optim.Plateau;

/**
 * Where a stage stands, besides its tensors. Randomness needs no state of its own: every draw follows from the seed and this
 * position.
 *
 * @param stage 1 or 2
 * @param epoch that is being trained, from 1
 * @param batch batches of it that are done
 * @param step optimizer steps of the stage that are done
 * @param lossSum over the views of the epoch so far
 * @param correct training views of the epoch so far
 * @param seen training views of the epoch so far
 * @param plateau schedule that follows the validation loss
 * @param bestError validation error of the best epoch so far
 * @param bestLoss its validation loss
 * @param bestEpoch its number; −1 before any
 * @param events lines of the event log that belong to what was done
 * @param finished whether the stage is over
 */
record TrainerState(
        int stage,
        int epoch,
        int batch,
        long step,
        double lossSum,
        long correct,
        long seen,
        Plateau plateau,
        double bestError,
        double bestLoss,
        int bestEpoch,
        int events,
        boolean finished) {

    static TrainerState start(int stage, int patience, int events) {
        return new TrainerState(
                stage,
                1,
                0,
                0,
                0,
                0,
                0,
                Plateau.from(1, 0.1, patience),
                Double.POSITIVE_INFINITY,
                Double.POSITIVE_INFINITY,
                -1,
                events,
                false);
    }

    /** After a batch of so many views, whose losses add up to a sum. */
    TrainerState afterBatch(boolean stepped, double losses, long right, long views) {
        return new TrainerState(
                stage,
                epoch,
                batch + 1,
                stepped ? step + 1 : step,
                lossSum + losses,
                correct + right,
                seen + views,
                plateau,
                bestError,
                bestLoss,
                bestEpoch,
                events,
                false);
    }

    TrainerState withBest(double error, double loss, int ofEpoch) {
        return new TrainerState(
                stage, epoch, batch, step, lossSum, correct, seen, plateau, error, loss, ofEpoch, events, finished);
    }

    TrainerState nextEpoch(Plateau observed, int logged) {
        return new TrainerState(
                stage, epoch + 1, 0, step, 0, 0, 0, observed, bestError, bestLoss, bestEpoch, logged, false);
    }

    TrainerState withEvents(int logged) {
        return new TrainerState(
                stage, epoch, batch, step, lossSum, correct, seen, plateau, bestError, bestLoss, bestEpoch, logged,
                finished);
    }

    TrainerState done() {
        return new TrainerState(
                stage, epoch, batch, step, lossSum, correct, seen, plateau, bestError, bestLoss, bestEpoch, events,
                true);
    }

    /**
     * Whether these weights are better than the best so far: by error where there are enough images, otherwise by loss,
     * since the error of a few dozen images moves in steps too coarse to tell epochs apart. (A loss is finer, but soon
     * rises while the error still falls: the classifier becomes overconfident.)
     */
    boolean isBetter(double error, double loss, boolean byError) {
        int errors = byError ? Double.compare(error, bestError) : 0;
        return errors < 0 || (errors == 0 && (loss < bestLoss || (loss == bestLoss && error < bestError)));
    }
}
