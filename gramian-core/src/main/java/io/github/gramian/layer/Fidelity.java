package io.github.gramian.layer;

/** Which formula counts where the paper's differs from the exact gradient; see docs/paper.md. */
public enum Fidelity {
    /** The exact derivative. */
    EXACT,
    /** The paper's formula as printed, to reproduce its results. */
    PAPER
}
