package io.github.gramian.spark.executor;

/**
 * Settings of a JVM with Spark and our engine, applied before either loads a library. Spark starts its JVMs itself, so
 * this is done in them, without action by the user.
 *
 * <p>MLlib looks for a native BLAS, finds the engine's OpenBLAS under that name and crashes the JVM inside it: where our
 * classes come first, a setting names a library that does not exist, and MLlib computes in Java. (Where MLlib came first, it has
 * found a library of the system's own, or computes in Java already.) JavaCPP would call the garbage collector when the
 * process grows beyond what the Java heap may take; our native memory is freed by scopes.
 */
public final class EngineSettings {

    private EngineSettings() {}

    /** Sets what the user has not set. */
    public static void apply() {
        for (String library : new String[] {"blas", "lapack", "arpack"}) {
            unlessSet("dev.ludovic.netlib." + library + ".nativeLib", "none.so");
        }
        unlessSet("org.bytedeco.javacpp.maxBytes", "0");
        unlessSet("org.bytedeco.javacpp.maxPhysicalBytes", "0");
    }

    private static void unlessSet(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }
}
