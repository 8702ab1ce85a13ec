package io.github.gramian.spark.executor;

import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The model of this JVM. An executor runs many tasks, several at a time, and all of them share one copy of the weights; it
 * is loaded for the first task and remains loaded until the JVM ends or a task needs another model.
 *
 * <p>This is the only static state of the module: Spark has no other place for objects that
 * outlive a task. A model that is replaced is left to the garbage collector rather than closed, since a task of
 * another job may be using it.
 */
public final class ExecutorModel {

    static {
        EngineSettings.apply();
    }

    private static final Object LOADING = new Object();
    private static @Nullable ExecutorModel current;

    private final String key;
    private final BatchPredictor predictor;
    private final ReadWriteLock use = new ReentrantReadWriteLock(true);

    private ExecutorModel(String key, BatchPredictor predictor) {
        this.key = key;
        this.predictor = predictor;
    }

    /**
     * The model, loaded if this JVM does not hold it yet. To be called by every task's own thread, since the engine's number
     * of threads is a thread's own.
     *
     * @param threads of the engine for one task, normally 1: Spark fills the cores with tasks
     */
    public static ExecutorModel of(ModelBytes bytes, int threads) throws IOException {
        synchronized (LOADING) {
            ExecutorModel loaded = current;
            String key = key(bytes, threads);
            if (loaded == null || !loaded.key.equals(key)) {
                loaded = new ExecutorModel(key, load(bytes, threads));
                current = loaded;
            }
            Engine.useThreads(threads);
            return loaded;
        }
    }

    /** A session of ONNX Runtime has its own number of threads; LibTorch takes that of the calling thread. */
    private static String key(ModelBytes bytes, int threads) {
        return bytes.isOnnx() ? bytes.sum() + " " + threads : bytes.sum();
    }

    private static BatchPredictor load(ModelBytes bytes, int threads) throws IOException {
        BatchPredictor predictor = bytes.withFile(file -> BatchPredictor.load(file, threads));
        Engine.useThreads(threads);
        // A section of large products that ends immediately, after which the BLAS starts no threads.
        Blas.allThreads().close();
        return predictor;
    }

    BatchPredictor predictor() {
        return predictor;
    }

    /** Held while images are decoded and read; a suspect image is read while no other task holds it. */
    public ReadWriteLock use() {
        return use;
    }
}
