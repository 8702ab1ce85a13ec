package io.github.gramian.tensor.internal;

import io.github.gramian.io.internal.Futures;
import io.github.gramian.natives.internal.Natives;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.bytedeco.pytorch.global.torch;

/**
 * Loads the engine's libraries on a separate thread: half a second in which files can be read and checked.
 * The caller must not use the engine before {@link #await} returns: two threads that initialise its
 * classes in different orders would wait for each other.
 *
 * <p>Closing waits as well, since a process must not end in the middle of loading a library.
 */
public final class EngineStart implements AutoCloseable {

    private final CompletableFuture<Integer> loading;

    private EngineStart(CompletableFuture<Integer> loading) {
        this.loading = loading;
    }

    /** Starts loading; costs next to nothing if the engine is loaded already. */
    public static EngineStart begin() {
        return begin(EngineStart::load);
    }

    static EngineStart begin(Supplier<Integer> load) {
        return new EngineStart(CompletableFuture.supplyAsync(load, task -> {
            Thread thread = new Thread(task, "gramian-engine");
            thread.setDaemon(true);
            thread.start();
        }));
    }

    private static int load() {
        Natives.ENGINE.unpack();
        return torch.get_num_threads();
    }

    /** Returns when the engine can be used; throws what loading it threw. */
    public void await() {
        Futures.result(loading);
    }

    @Override
    public void close() {
        loading.handle((threads, failure) -> threads).join();
    }
}
