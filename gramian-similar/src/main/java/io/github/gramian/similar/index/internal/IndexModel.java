package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The model of an index: which file it is, and descriptors once they are needed. */
public interface IndexModel {

    /** Path of the model's file. */
    Path file();

    /** SHA-256 of the file. */
    default String sha256() throws IOException {
        return new Sha256().add(file()).hex();
    }

    /** Dimensions of a descriptor. */
    int descriptorLength() throws IOException;

    /** Describes files in their order; a file that is not an image is a rejected reading. */
    void describe(List<Path> files, int batch, Consumer<Reading> receiver) throws IOException;
}
