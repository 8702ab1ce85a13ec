package io.github.gramian.bench;

import io.github.gramian.io.internal.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** JPEG files to measure with, in a temporary directory that is deleted when closed. */
record SyntheticImages(TemporaryFolder folder, List<Path> files) implements AutoCloseable {

    /** Draws an image and writes it. */
    private interface Drawing {
        void write(Path file, int number) throws IOException;
    }

    /** The given number of small images. */
    static SyntheticImages write(int count) throws IOException {
        return write(count, (file, number) -> SyntheticPhoto.write(file, new Random(number)));
    }

    /** The given number of images of the size that telephones take. */
    static SyntheticImages photographs(int count, int width, int height) throws IOException {
        return write(
                count, (file, number) -> SyntheticPhotograph.write(file, width, height, new SplittableRandom(number)));
    }

    private static SyntheticImages write(int count, Drawing drawing) throws IOException {
        TemporaryFolder folder = TemporaryFolder.create();
        try {
            List<Path> files = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                files.add(folder.path().resolve(i + ".jpg"));
                drawing.write(files.get(i), i);
            }
            return new SyntheticImages(folder, files);
        } catch (IOException | RuntimeException failure) {
            folder.close();
            throw failure;
        }
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
