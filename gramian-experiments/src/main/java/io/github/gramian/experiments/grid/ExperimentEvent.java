package io.github.gramian.experiments.grid;

import java.util.OptionalDouble;

/** Events of the runs of a grid. Numbers count the pending runs, from 1. */
public sealed interface ExperimentEvent {

    /** The existing results were read. */
    record Planned(int toDo, int done) implements ExperimentEvent {}

    /**
     * A run starts.
     *
     * @param secondsLeft for it and all after it, estimated from finished runs
     */
    record Started(GridRun run, int number, int toDo, OptionalDouble secondsLeft) implements ExperimentEvent {}

    record Finished(GridRun run, int number, int toDo, RunResult result) implements ExperimentEvent {}

    /** Another process has finished it meanwhile. */
    record Skipped(GridRun run, int number, int toDo) implements ExperimentEvent {}

    /**
     * Corrupted images are evaluated with all models of a split.
     *
     * @param corruption name and severity
     * @param number of the corruption, from 1
     * @param all number of corruptions
     * @param images number of images
     */
    record Corrupted(String dataset, String corruption, int number, int all, int images) implements ExperimentEvent {}

    /** A run failed; the others continue. */
    record Failed(GridRun run, int number, int toDo, String message) implements ExperimentEvent {}
}
