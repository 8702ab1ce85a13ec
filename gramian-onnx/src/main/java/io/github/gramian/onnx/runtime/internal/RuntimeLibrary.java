package io.github.gramian.onnx.runtime.internal;

import io.github.gramian.natives.internal.Natives;
import java.io.IOException;
import java.util.Locale;

/**
 * The native library of ONNX Runtime, unpacked once to the private folder of Gramian's libraries. Otherwise ONNX Runtime would
 * unpack 24 MB into the temporary directory at every start, and a killed process would leave them there.
 */
final class RuntimeLibrary {

    /** The property in which ONNX Runtime looks for a directory with its libraries. */
    private static final String SETTING = "onnxruntime.native.path";

    private RuntimeLibrary() {}

    /** To be called before ONNX Runtime starts; has no effect afterwards, or if the user has set a directory. */
    static void settle() {
        Once.SETTLED.run();
    }

    /** The JVM initialises a class once, whichever threads ask. */
    private static final class Once {

        static final Runnable SETTLED = () -> {};

        static {
            String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
            if (System.getProperty(SETTING) == null && system.contains("linux")) {
                unpack("/ai/onnxruntime/native/linux-" + architecture() + "/");
            }
        }

        private static String architecture() {
            return System.getProperty("os.arch", "").equals("aarch64") ? "aarch64" : "x64";
        }

        private static void unpack(String folder) {
            try {
                Natives.unpacked(folder).ifPresent(directory -> System.setProperty(SETTING, directory.toString()));
            } catch (IOException | RuntimeException e) {
                // ONNX Runtime unpacks its library itself, as it does on other systems.
            }
        }
    }
}
