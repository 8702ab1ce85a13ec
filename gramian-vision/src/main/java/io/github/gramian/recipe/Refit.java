package io.github.gramian.recipe;

/** Whether the classifier is fitted again in closed form after gradient descent. */
public enum Refit {
    /** Unless the trained one has a higher validation accuracy, by more than one standard error. */
    BEST,
    ALWAYS,
    NEVER
}
