package io.github.gramian.tensor.internal;

import io.github.gramian.natives.internal.Natives;
import org.bytedeco.openblas.global.openblas_nolapack;

/**
 * The library that multiplies float matrices (OpenBLAS or MKL), and how many threads it uses.
 *
 * <p>Its threads help one large product. They slow everything else: they keep a core busy for a while after every product,
 * slow small decompositions down (QR of 512×128 takes eight times as long with two threads as with one), and compete with
 * {@link CpuWorkers}, where every thread multiplies by itself. So products run on the thread that asks for them, unless it
 * announces a large one.
 *
 * <p>How many spans are open is counted for the whole process: with {@link CpuWorkers} the one static mutable state of the
 * libraries. The number of threads of OpenBLAS is itself a global of the process, so two counts would undo each other's settings.
 */
public final class Blas {

    static {
        Natives.ENGINE.unpack();
    }

    /** Open spans of the process; guarded by this class. */
    private static int spans;

    private Blas() {}

    /** A section of work with large products; ends with {@link #close}. */
    public static final class AllThreads implements AutoCloseable {

        private AllThreads() {}

        @Override
        public void close() {
            leave();
        }
    }

    /** Until it is closed, products of the whole process use as many threads as the engine. Costs milliseconds. */
    public static AllThreads allThreads() {
        enter();
        return new AllThreads();
    }

    /** From now on products run on the thread that asks for them. */
    static synchronized void oneThread() {
        if (spans == 0) {
            openblas_nolapack.blas_set_num_threads(1);
        }
    }

    private static synchronized void enter() {
        if (spans++ == 0) {
            openblas_nolapack.blas_set_num_threads(CpuWorkers.count());
        }
    }

    private static synchronized void leave() {
        if (--spans == 0) {
            openblas_nolapack.blas_set_num_threads(1);
        }
    }
}
