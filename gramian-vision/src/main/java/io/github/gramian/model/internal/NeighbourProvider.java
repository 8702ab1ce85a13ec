package io.github.gramian.model.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;

/** Opens indexes of photographs; found through {@link ServiceLoader}, so that a server needs no search engine of its own. */
public interface NeighbourProvider {

    /** Opens the latest commit of an index. */
    NeighbourSearch open(Path index) throws IOException;

    /** The one that is installed. */
    static Optional<NeighbourProvider> installed() {
        return ServiceLoader.load(NeighbourProvider.class).findFirst();
    }
}
