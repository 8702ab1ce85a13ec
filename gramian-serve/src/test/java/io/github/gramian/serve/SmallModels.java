package io.github.gramian.serve;

import io.github.gramian.check.SharedFolder;
import io.github.gramian.train.SmallRuns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Two small models of the same classes and some images, made once for all tests of this JVM. */
public final class SmallModels {

    private static final Path FOLDER = SharedFolder.create("gramian-serve-test");

    private SmallModels() {}

    /** A model. */
    public static Path first() {
        return Shared.FIRST;
    }

    /** One that gives other probabilities. */
    public static Path second() {
        return Shared.SECOND;
    }

    /** PNG files, 64 pixels a side. */
    public static List<Path> images() {
        first();
        List<Path> images = new ArrayList<>();
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < SmallRuns.TRAIN + SmallRuns.TEST; i++) {
                images.add(SmallRuns.existing(FOLDER).images().resolve(kind).resolve(i + ".png"));
            }
        }
        return images;
    }

    /** The content of one of them. */
    public static byte[] image(int number) {
        try {
            return Files.readAllBytes(images().get(number));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Shared {
        static final Path FIRST = model("first", "stage1.epochs=2");
        static final Path SECOND = model("second", "stage1.epochs=1");

        private static Path model(String name, String settings) {
            try {
                SmallRuns runs = Files.exists(SmallRuns.existing(FOLDER).weights())
                        ? SmallRuns.existing(FOLDER)
                        : SmallRuns.in(FOLDER);
                return runs.run(runs.recipe(settings), name).model();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
