package io.github.gramian.recipe;

/** Whether the classifier is fitted again in closed form after gradient descent. */
public enum Refit {
    /** Unless the trained one is better on the validation images, by more than their standard error. */
    BEST,
    ALWAYS,
    NEVER
}
