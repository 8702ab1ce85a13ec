package io.github.gramian.similar.index.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerificationTest {

    private static final int FLIPS_PER_FILE = FullForm.rounds(12, 3);

    @TempDir
    private Path folder;

    @Test
    void an_intact_index_has_no_problems_and_flipped_bits_in_every_file_are_reported() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(FullForm.rounds(60, 24));
        small.build(new ContentModel("first"));
        // A deletion adds the file of live documents.
        Files.delete(small.photos().resolve("odd/3.png"));
        small.build(new ContentModel("first"));
        IndexFolder index = new IndexFolder(small.index());
        assertThat(Verification.of(index).problems()).isEmpty();

        SplittableRandom random = new SplittableRandom(1);
        for (Path file : files(small.index())) {
            byte[] good = Files.readAllBytes(file);
            for (int flip = 0; flip < FLIPS_PER_FILE; flip++) {
                byte[] bad = good.clone();
                int at = random.nextInt(bad.length);
                bad[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, bad);
                assertThat(Verification.of(index).problems())
                        .as("%s, byte %d", file.getFileName(), at)
                        .isNotEmpty();
            }
            Files.write(file, good);
        }
        assertThat(Verification.of(index).problems()).isEmpty();
    }

    private static List<Path> files(Path index) throws IOException {
        try (Stream<Path> all = Files.walk(index)) {
            // The lock is empty.
            return all.filter(file -> Files.isRegularFile(file) && file.toFile().length() > 0)
                    .sorted()
                    .toList();
        }
    }
}
