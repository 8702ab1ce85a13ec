package io.github.gramian.distributed;

import java.nio.file.Path;

/** Where the processes of a group find each other before they exchange anything. */
public sealed interface Rendezvous {

    /** The prefix of a file in the place of host and port. */
    String FILE = "file:";

    /** For a single process. */
    record Nowhere() implements Rendezvous {
        @Override
        public String toString() {
            return "nowhere";
        }
    }

    /**
     * A store that the first process opens to the network, for several machines.
     *
     * @param host a name or address of its machine that all others can reach
     */
    record AtPort(String host, int port) implements Rendezvous {

        public AtPort {
            if (host.isBlank()) {
                throw new IllegalArgumentException(
                        "several processes need a place to meet; name the machine of rank 0 and a free port of it");
            }
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("the port of the store must lie in 1..65535 but is " + port);
            }
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * A file that does not exist yet, for processes of one machine: these talk through its loopback interface, so that
     * no port is open to others. Only the user should have access to its folder.
     */
    record InFile(Path file) implements Rendezvous {

        public InFile {
            if (!file.isAbsolute()) {
                throw new IllegalArgumentException(
                        "the file where processes meet must be an absolute path but is " + file);
            }
        }

        @Override
        public String toString() {
            return FILE + file;
        }
    }

    /** Reads {@code host:port} or {@code file:/path}. */
    static Rendezvous of(String store) {
        if (store.startsWith(FILE)) {
            return new InFile(Path.of(store.substring(FILE.length())));
        }
        int colon = store.lastIndexOf(':');
        String digits = store.substring(colon + 1);
        if (colon < 1 || !digits.matches("\\d{1,5}")) {
            throw new IllegalArgumentException(
                    "the store must be given as host:port, such as 10.0.0.1:29400, but is '" + store + "'");
        }
        String host = store.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new AtPort(bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(digits));
    }
}
