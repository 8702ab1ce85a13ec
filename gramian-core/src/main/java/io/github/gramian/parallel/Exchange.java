package io.github.gramian.parallel;

/** An exchange that is under way: the tensors that take part in it must be left alone until it is over. */
@FunctionalInterface
public interface Exchange {

    /**
     * Returns when the tensors hold the result.
     *
     * @throws PeerLostException if another process does not take part any more
     */
    void await();

    /** Over before it began. */
    static Exchange none() {
        return () -> {};
    }
}
