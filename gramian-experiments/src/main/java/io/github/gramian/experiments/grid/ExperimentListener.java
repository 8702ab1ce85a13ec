package io.github.gramian.experiments.grid;

/** Listener for the runs of a grid; called by the thread that runs them. */
@FunctionalInterface
public interface ExperimentListener {
    void onEvent(ExperimentEvent event);
}
