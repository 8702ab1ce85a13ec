package io.github.gramian.train;

/** Whether the classifier is fitted again in closed form after gradient descent. */
public enum Refit {
    /** If it is better on the validation images (by leaving out one image at a time where there are none). */
    BEST,
    ALWAYS,
    NEVER
}
