package io.github.gramian.layer;

/** Whether gradients are exact or those that the paper prints, where the two differ; see docs/paper.md. */
public enum Fidelity {
    /** The exact derivative. */
    EXACT,
    /** The paper's formula as printed, to reproduce its results. */
    PAPER
}
