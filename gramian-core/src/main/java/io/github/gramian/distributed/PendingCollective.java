package io.github.gramian.distributed;

/** An exchange that is under way: the tensors that take part in it must be left alone until it is over. */
@FunctionalInterface
public interface PendingCollective {

    /**
     * Returns when the tensors hold the result.
     *
     * @throws ProcessLostException if another process does not take part any more
     */
    void await();

    /** Over before it began. */
    static PendingCollective none() {
        return () -> {};
    }
}
