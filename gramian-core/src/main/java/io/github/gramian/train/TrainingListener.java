package io.github.gramian.train;

/** Hears what happens during a training; called by the thread that trains. */
@FunctionalInterface
public interface TrainingListener {

    void hear(TrainingEvent event);

    /** Hears nothing. */
    static TrainingListener silent() {
        return event -> {};
    }

    /** This one, then another. */
    default TrainingListener and(TrainingListener other) {
        return event -> {
            hear(event);
            other.hear(event);
        };
    }
}
