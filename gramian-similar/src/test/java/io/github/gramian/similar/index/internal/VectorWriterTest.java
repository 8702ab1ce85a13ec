package io.github.gramian.similar.index.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VectorWriterTest {

    private static final Manifest MANIFEST = new Manifest("none", "0".repeat(64), "none", 2);

    @TempDir
    private Path folder;

    private int searchable() {
        try (VectorIndex index = VectorIndex.open(new IndexFolder(folder), MANIFEST)) {
            return index.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_merge_is_announced_once_and_only_when_all_photographs_can_be_searched() throws IOException {
        IndexFolder index = new IndexFolder(folder);
        Files.createDirectories(index.lucene());
        List<Integer> announced = new ArrayList<>();
        try (VectorWriter writer = VectorWriter.open(index, "", 5)) {
            for (int i = 0; i < 20; i++) {
                float[] vector = {(float) Math.cos(i), (float) Math.sin(i)};
                writer.add(new Photo(i + ".png", Integer.toHexString(i), 1, i), vector, MANIFEST);
            }
            writer.finish(MANIFEST, true, () -> announced.add(searchable()));
            writer.finish(MANIFEST, true, () -> announced.add(searchable()));
        }
        assertThat(announced).containsExactly(20);
    }
}
