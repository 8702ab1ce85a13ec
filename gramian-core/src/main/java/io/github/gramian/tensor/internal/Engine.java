package io.github.gramian.tensor.internal;

import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.natives.internal.Natives;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** LibTorch on this machine: its version, its threads, its devices, and what the CPU gives it. */
public final class Engine {

    static {
        Natives.ENGINE.unpack();
    }

    private Engine() {}

    /**
     * A description of the engine.
     *
     * @param version of LibTorch
     * @param blas the library that multiplies float matrices
     * @param threads the engine computes with
     * @param cpuCapability the widest vector instructions that the engine uses, such as AVX512
     * @param cpuFeatures what the CPU offers of the instructions that matter here; empty where it cannot be asked
     * @param devices at hand, the CPU first
     * @param nativeCache the folder that natives are extracted to
     */
    public record Description(
            String version,
            String blas,
            int threads,
            String cpuCapability,
            List<String> cpuFeatures,
            List<String> devices,
            String nativeCache) {

        /** One line about engine and hardware, for evaluation protocols. */
        public String line() {
            return cpuCapability + ", " + threads + " threads, " + blas + ", LibTorch " + version;
        }
    }

    /** Asks the engine; loads it if that has not happened yet. */
    public static Description describe() {
        try (Scope scope = Scope.open()) {
            String config = torch.show_config().getString();
            return new Description(
                    between(config, "TORCH_VERSION=", ","),
                    blas(),
                    torch.get_num_threads(),
                    torch.get_cpu_capability().getString(),
                    Cpu.features(),
                    torch.cuda_is_available() ? List.of("cpu", "cuda") : List.of("cpu"),
                    nativeCache());
        }
    }

    /**
     * A checksum of the product of two fixed matrices. Another kernel of the same BLAS, as on another kind of CPU, adds in
     * another order and has another one.
     */
    public static String rounding() {
        try (Scope scope = Scope.open()) {
            Placement placement = Placement.cpu(Precision.FLOAT);
            Tensor left = new Seed(1).normal(placement, 64, 700);
            Tensor right = new Seed(2).normal(placement, 700, 64);
            return Checksum.of(Arrays.toString(HostCopy.floats(left.mm(right))));
        }
    }

    /**
     * How many CPU threads the engine uses from now on, for work of this thread and of those that begin to use it later. The
     * BLAS has its own number, see {@link Blas}.
     */
    public static void useThreads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1 but is " + threads);
        }
        torch.set_num_threads(threads);
    }

    private static String blas() {
        String replaced = System.getProperty("org.bytedeco.openblas.load", "");
        return replaced.startsWith("mkl") ? "MKL" : "OpenBLAS";
    }

    private static String nativeCache() {
        try {
            return Loader.getCacheDir().getPath();
        } catch (IOException e) {
            return "none: " + e.getMessage();
        }
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start);
        if (from < 0) {
            return "unknown";
        }
        int to = text.indexOf(end, from);
        return text.substring(from + start.length(), to < 0 ? text.length() : to)
                .strip();
    }

    /**
     * Loads the engine's libraries on a separate thread: half a second in which files can be read and checked.
     * The caller must not use the engine before {@link #await} returns: two threads that initialise its
     * classes in different orders would wait for each other.
     *
     * <p>Closing waits as well, since a process must not end in the middle of loading a library.
     */
    public static final class Start implements AutoCloseable {

        private final CompletableFuture<Integer> loading;

        private Start(CompletableFuture<Integer> loading) {
            this.loading = loading;
        }

        /** Starts loading; costs next to nothing if the engine is loaded already. */
        public static Start begin() {
            return begin(Start::load);
        }

        static Start begin(Supplier<Integer> load) {
            return new Start(CompletableFuture.supplyAsync(load, task -> {
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
            ParallelWork.result(loading);
        }

        @Override
        public void close() {
            loading.handle((threads, failure) -> threads).join();
        }
    }
}
