package io.github.gramian.natives.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Where a user's programs cache files that can be made again.
 *
 * @param properties of the system
 * @param environment of the process
 */
public record UserCache(Properties properties, Map<String, String> environment) {

    /** That of the user who runs this process. */
    public static UserCache current() {
        return new UserCache(System.getProperties(), System.getenv());
    }

    /** Gramian's own directory there, such as {@code ~/.cache/gramian}; empty for a user without a home. */
    public Optional<Path> gramian() {
        String cache = environment.getOrDefault("XDG_CACHE_HOME", environment.getOrDefault("LOCALAPPDATA", ""));
        Path parent = Path.of(cache).isAbsolute() ? Path.of(cache) : home().resolve(".cache");
        // the home of a user that the system does not know is called '?'
        return parent.isAbsolute() ? Optional.of(parent.resolve("gramian")) : Optional.empty();
    }

    /**
     * $HOME, as other programs do. Java takes {@code user.home} from the list of users instead, where the user of a container
     * often has no entry or a home that is not there. A $HOME of another user, which sudo may leave to root, is not touched.
     */
    private Path home() {
        Path home = Path.of(environment.getOrDefault("HOME", ""));
        try {
            if (home.isAbsolute() && !PrivateFolder.belongsToAnother(home, temporary())) {
                return home;
            }
        } catch (IOException e) {
            // $HOME does not exist, or its owner is unknown.
        }
        return Path.of(properties.getProperty("user.home", ""));
    }

    Path temporary() {
        return Path.of(properties.getProperty("java.io.tmpdir", "")).toAbsolutePath();
    }
}
