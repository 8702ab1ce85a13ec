package io.github.gramian.run;

/** Hears what happens during a training; called by the thread that trains. */
@FunctionalInterface
public interface TrainingListener {

    void onEvent(TrainingEvent event);

    /** Hears nothing. */
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
