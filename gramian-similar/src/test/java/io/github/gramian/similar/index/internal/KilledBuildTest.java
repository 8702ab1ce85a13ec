package io.github.gramian.similar.index.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.OwnJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds in their own process, which is killed in the middle. */
class KilledBuildTest {

    private static final int PHOTOS = FullForm.rounds(120, 40);

    @TempDir
    private Path folder;

    /** Builds an index and prints a line per image. */
    static final class OwnBuild {

        private OwnBuild() {}

        private static Optional<Path> like(String index) {
            return index.isEmpty() ? Optional.empty() : Optional.of(Path.of(index));
        }

        public static void main(String[] arguments) throws IOException {
            SmallIndex small = new SmallIndex(Path.of(arguments[0]), Path.of(arguments[1]));
            new IndexBuild(
                            small.photos(),
                            new ContentModel("first"),
                            small.index(),
                            SmallIndex.settings(like(arguments[2])),
                            new IndexBuild.Listener() {
                                @Override
                                public void note(String sentence) {}

                                @Override
                                public void described(long images, long total) {
                                    System.out.println(images);
                                }
                            })
                    .run();
        }
    }

    /**
     * Kills a build after some images.
     *
     * @param like an index whose components are used, or nothing: then all images of this small index are the sample
     */
    private void kill(SmallIndex small, String like, int images) throws IOException, InterruptedException {
        Process process = OwnJvm.of(OwnBuild.class, small.photos(), small.index(), like)
                .redirectError(folder.resolve("err").toFile())
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            for (int seen = 1; seen < images && line != null; seen++) {
                line = lines.readLine();
            }
            assertThat(line).as(Files.readString(folder.resolve("err"))).isNotNull();
            process.destroyForcibly();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A kill loses at most the five images that are stored together. */
    private void check(boolean sampled, List<Integer> moments) throws IOException, InterruptedException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(PHOTOS);
        SmallIndex whole = small.at(folder.resolve("whole"));
        whole.build(new ContentModel("first"));
        for (int i = 0; i < moments.size(); i++) {
            SmallIndex killed = small.at(folder.resolve("killed-" + i));
            int moment = moments.get(i);
            kill(killed, sampled ? "" : whole.index().toString(), moment);
            IndexFolder left = new IndexFolder(killed.index());
            if (sampled) {
                assertThat(left.sample()).exists();
            } else if (moment > 5) {
                try (VectorIndex opened = killed.open()) {
                    assertThat(opened.note().complete()).isFalse();
                    assertThat(opened.count()).isGreaterThan(moment - 5);
                }
            }
            ContentModel model = new ContentModel("first");
            killed.build(model, sampled ? Optional.empty() : Optional.of(whole.index()));
            assertThat(model.described()).hasSizeLessThan(PHOTOS - moment + 5);
            assertThat(killed.content()).isEqualTo(whole.content());
            assertThat(left.sample()).doesNotExist();
            assertThat(Verification.of(left).problems()).isEmpty();
        }
    }

    @Test
    void an_index_whose_first_build_was_killed_is_completed_by_the_next_build()
            throws IOException, InterruptedException {
        check(true, List.of(22));
    }

    @Test
    void an_index_whose_build_was_killed_is_completed_by_the_next_build() throws IOException, InterruptedException {
        check(false, List.of(3, 22));
    }

    @Test
    @Tag("slow")
    void fifty_kills_at_random_moments_change_no_index() throws IOException, InterruptedException {
        List<Integer> moments =
                new SplittableRandom(1).ints(50, 6, PHOTOS - 5).boxed().toList();
        check(true, moments.subList(0, 25));
        check(false, moments.subList(25, 50));
    }
}
