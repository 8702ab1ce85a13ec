package io.github.gramian.similar.index.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** A model for tests: the descriptor of a file is drawn at random from its content, and files that start with "bad" are rejected. */
final class ContentModel implements IndexModel {

    static final int LENGTH = 40;

    private final Path file;
    private final String sha256;
    private final List<String> described = new ArrayList<>();

    ContentModel(String name) {
        this.file = Path.of(name + ".gramian");
        this.sha256 = Sha256.of(name);
    }

    /** Names of the files that were described, in order. */
    List<String> described() {
        return described;
    }

    @Override
    public Path file() {
        return file;
    }

    @Override
    public String sha256() {
        return sha256;
    }

    @Override
    public int descriptorLength() {
        return LENGTH;
    }

    @Override
    public void describe(List<Path> files, int batch, Consumer<Reading> receiver) {
        for (Path one : files) {
            described.add(String.valueOf(one.getFileName()));
            receiver.accept(reading(one));
        }
    }

    private static Reading reading(Path one) {
        try {
            String content = Files.readString(one);
            return content.startsWith("bad")
                    ? Reading.rejected(one.toString(), "not an image")
                    : new Reading(
                            Prediction.of(one.toString(), List.of("a", "b"), new float[] {0.5f, 0.5f}),
                            descriptor(content));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static float[] descriptor(String content) {
        Random random = new Random(content.hashCode());
        float[] descriptor = new float[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            descriptor[i] = (float) random.nextGaussian();
        }
        return descriptor;
    }
}
