package io.github.gramian.bench.peer;

/** The heads that ours is compared with; each is a short PyTorch script with autograd. */
public enum Peer {
    /** The same network as ours. */
    KERNEL_SPD("kernel_spd.py", "the same head, autograd"),
    /** Bilinear pooling, signed square root. */
    BCNN("bcnn.py", "B-CNN"),
    /** Square root of the covariance by five Newton–Schulz iterations. */
    ISQRT_COV("isqrt_cov.py", "iSQRT-COV, Newton–Schulz"),
    /** Square root of the covariance by its eigenvalues. */
    MATRIX_SQRT("matrix_sqrt.py", "covariance root, eigh");

    private final String script;
    private final String title;

    Peer(String script, String title) {
        this.script = script;
        this.title = title;
    }

    String script() {
        return script;
    }

    /** What a table calls it. */
    public String title() {
        return title;
    }
}
