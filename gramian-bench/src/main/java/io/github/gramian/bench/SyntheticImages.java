package io.github.gramian.bench;

import io.github.gramian.cli.common.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** JPEG files to measure with, in a temporary folder that is gone when closed. */
record SyntheticImages(TemporaryFolder folder, List<Path> files) implements AutoCloseable {

    /** Writes so many. */
    static SyntheticImages write(int count) throws IOException {
        TemporaryFolder folder = TemporaryFolder.create();
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(SyntheticPhoto.write(folder.path().resolve(i + ".jpg"), new Random(i)));
        }
        return new SyntheticImages(folder, files);
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
