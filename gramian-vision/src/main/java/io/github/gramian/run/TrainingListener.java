package io.github.gramian.run;

/** Listener for the events of a training; called by the thread that trains. */
@FunctionalInterface
public interface TrainingListener {

    void onEvent(TrainingEvent event);

    /** Ignores all events. */
    static TrainingListener silent() {
        return event -> {};
    }

    /** This one, then another. */
    default TrainingListener and(TrainingListener other) {
        return event -> {
            onEvent(event);
            other.onEvent(event);
        };
    }
}
