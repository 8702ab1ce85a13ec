package io.github.gramian.serve;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/** Compares the number of files that the process may open with what the connections of a server need. */
final class OpenFiles {

    /** Jars, models, selectors, and the connections reserved for health checks. */
    private static final int OTHER_FILES = 256;

    private OpenFiles() {}

    /** A warning if this process may open too few files; none on systems that do not report the limit. */
    static Optional<String> warning(int connections) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? warning(connections, system.getMaxFileDescriptorCount())
                : Optional.empty();
    }

    static Optional<String> warning(int connections, long files) {
        return files >= (long) connections + OTHER_FILES
                ? Optional.empty()
                : Optional.of("this process may open only " + files + " files, but limits.connections is " + connections
                        + ": raise ulimit -n to " + (connections + OTHER_FILES) + ", or lower limits.connections");
    }
}
