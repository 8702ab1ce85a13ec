package io.github.gramian.similar.index.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class IndexBuildTest {

    private static final Manifest MANIFEST = new Manifest("none", "0".repeat(64), "none", 2);

    @TempDir
    private Path folder;

    private final ContentModel model = new ContentModel("first");

    private static List<String> paths(List<VectorIndex.Neighbour> found) {
        return found.stream().map(near -> near.photo().path()).toList();
    }

    private static List<Path> luceneFiles(SmallIndex small) throws IOException {
        try (Stream<Path> files = Files.list(small.index().resolve("lucene"))) {
            return files.sorted().toList();
        }
    }

    @Test
    void added_changed_moved_and_deleted_files_give_the_index_that_a_build_at_once_gives() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(40);
        small.build(model);
        model.described().clear();

        small.put("odd/new.png", "something new");
        small.put("even/2.png", "changed, and longer than before");
        Files.delete(small.photos().resolve("odd/3.png"));
        Files.createDirectories(small.photos().resolve("third"));
        Files.move(small.photos().resolve("even/4.png"), small.photos().resolve("third/4.png"));
        Files.setLastModifiedTime(small.photos().resolve("even/6.png"), FileTime.fromMillis(1_000_000));
        IndexBuild.Result result = small.build(model);

        assertThat(model.described()).containsExactlyInAnyOrder("new.png", "2.png");
        assertThat(result).isEqualTo(new IndexBuild.Result(40, 2, 1, 2, 2, 36, 0));
        SmallIndex atOnce = small.at(folder.resolve("at-once"));
        atOnce.build(model, Optional.of(small.index()));
        assertThat(small.content()).isEqualTo(atOnce.content());
    }

    @Test
    void a_second_build_without_changes_describes_nothing_and_commits_nothing() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        small.build(model);
        model.described().clear();
        List<Path> before = luceneFiles(small);
        assertThat(small.build(model)).isEqualTo(new IndexBuild.Result(12, 0, 0, 0, 0, 12, 0));
        assertThat(model.described()).isEmpty();
        assertThat(luceneFiles(small)).isEqualTo(before);
    }

    @Test
    void equal_size_and_time_hide_a_change_unless_contents_are_compared() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        Path file = small.photos().resolve("even/2.png");
        small.build(model);
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, "tnetnoc 2");
        Files.setLastModifiedTime(file, time);
        assertThat(small.build(model).changed()).isZero();
        IndexBuild.Settings rehash = new IndexBuild.Settings(8, Optional.empty(), 4, 5, true);
        assertThat(new IndexBuild(small.photos(), model, small.index(), rehash, new IndexBuild.Listener() {})
                        .run()
                        .changed())
                .isEqualTo(1);
    }

    @Test
    void a_photograph_that_became_unreadable_is_not_found_any_more() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        small.build(model);
        small.put("even/2.png", "bad file now");
        assertThat(small.build(model).rejected()).isEqualTo(1);
        try (VectorIndex index = small.open()) {
            assertThat(index.count()).isEqualTo(11);
            assertThat(index.vectorOfPath("even/2.png")).isEmpty();
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void what_cannot_be_read_is_reported_and_what_is_indexed_of_it_stays() throws Exception {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        small.build(model);
        Map<String, List<Float>> before = small.content();
        // A directory on a disk that is not mounted now, a file that is gone behind its link, and one that is not a
        // file
        // any more.
        Files.move(small.photos().resolve("odd"), folder.resolve("elsewhere"));
        Files.createSymbolicLink(small.photos().resolve("odd"), folder.resolve("nowhere"));
        Files.delete(small.photos().resolve("even/4.png"));
        Files.createSymbolicLink(small.photos().resolve("even/4.png"), folder.resolve("nowhere.png"));
        Path pipe = small.photos().resolve("even/2.png");
        Files.delete(pipe);
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThat(small.build(model)).isEqualTo(new IndexBuild.Result(12, 0, 0, 0, 0, 4, 3));
        assertThat(small.content()).isEqualTo(before);
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void photographs_in_a_directory_without_permission_stay() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        small.build(model);
        Path closed = small.photos().resolve("odd");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        try {
            assumeFalse(Files.isReadable(closed), "the administrator may read everything");
            assertThat(small.build(model)).isEqualTo(new IndexBuild.Result(12, 0, 0, 0, 0, 6, 1));
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void a_directory_without_images_does_not_empty_the_index() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        small.build(model);
        Files.move(small.photos(), folder.resolve("elsewhere"));
        Files.createDirectories(small.photos());
        assertThatThrownBy(() -> small.build(model))
                .isInstanceOf(IndexException.class)
                .hasMessageContaining("is the disk mounted");
        assertThat(small.content()).hasSize(12);
    }

    private static int dimensions(SmallIndex small) throws IOException {
        return new IndexFolder(small.index()).settings().manifest().dimensions();
    }

    @Test
    void an_index_that_was_started_with_few_photographs_is_fitted_again_when_there_are_more() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(5);
        for (int i = 0; i < 5; i++) {
            small.put("copies/" + i + ".png", "content 0");
        }
        small.build(model);
        assertThat(dimensions(small)).isEqualTo(1);
        small.withPhotos(9).build(model);
        assertThat(dimensions(small)).isEqualTo(1);
        model.described().clear();

        assertThat(small.withPhotos(40).build(model)).isEqualTo(new IndexBuild.Result(45, 45, 0, 0, 0, 0, 0));
        assertThat(dimensions(small)).isEqualTo(8);
        SmallIndex atOnce = small.at(folder.resolve("at-once"));
        atOnce.build(model);
        assertThat(small.content()).isEqualTo(atOnce.content());
        assertThat(small.index().resolve(".next")).doesNotExist();
        assertThat(small.withPhotos(100).build(model).described())
                .as("nothing more to gain from a new fit")
                .isEqualTo(60);
    }

    @Test
    void a_new_fit_that_was_killed_at_its_end_is_completed() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(5);
        small.build(model);
        small.withPhotos(40);
        SmallIndex next = small.at(small.index().resolve(".next"));
        next.build(model);
        Map<String, List<Float>> complete = next.content();
        // Killed between the settings and the commit of the photographs.
        new IndexFolder(small.index()).takeSettings();
        assertThatThrownBy(small::open).hasMessageContaining("another reduction");
        model.described().clear();
        assertThat(small.build(model).unchanged()).isEqualTo(40);
        assertThat(model.described()).isEmpty();
        assertThat(small.content()).isEqualTo(complete);
        assertThat(next.index()).doesNotExist();
    }

    @Test
    void an_index_with_the_components_of_another_keeps_them() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(5);
        small.build(model);
        SmallIndex other = small.at(folder.resolve("other"));
        other.build(model, Optional.of(small.index()));
        other.withPhotos(40).build(model);
        assertThat(dimensions(other)).isEqualTo(1);
    }

    @Test
    void another_model_and_a_directory_of_other_files_are_refused() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(8);
        small.build(model);
        assertThatThrownBy(() -> small.build(new ContentModel("second")))
                .isInstanceOf(IndexException.class)
                .hasMessageContaining("first.gramian")
                .hasMessageContaining("second.gramian");
        assertThatThrownBy(() -> small.at(small.photos()).build(model))
                .isInstanceOf(IndexException.class)
                .hasMessageContaining("is not an index");
        assertThatThrownBy(() ->
                        small.at(folder.resolve("new")).build(new ContentModel("second"), Optional.of(small.index())))
                .hasMessageContaining("another model");
    }

    @Test
    void the_same_photograph_is_nearest_and_filters_hold() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(60);
        small.build(model);
        try (VectorIndex index = small.open()) {
            float[] query = index.vectorOfPath("odd/7.png").orElseThrow();
            List<VectorIndex.Neighbour> found = index.search(query, 5, null);
            assertThat(found.get(0).photo().path()).isEqualTo("odd/7.png");
            assertThat(found.get(0).similarity()).isGreaterThan(0.9999f);
            assertThat(paths(index.search(query, 60, PhotoFilter.of(List.of("label=even")))))
                    .hasSize(30)
                    .allMatch(path -> path.startsWith("even/"));
            assertThat(index.search(query, 60, PhotoFilter.of(List.of("label=even", "label=odd"))))
                    .hasSize(60);
            assertThat(paths(index.search(query, 60, PhotoFilter.of(List.of("label=odd", "path=odd/1*")))))
                    .containsExactlyInAnyOrder(
                            "odd/1.png", "odd/11.png", "odd/13.png", "odd/15.png", "odd/17.png", "odd/19.png");
            assertThat(index.search(query, 60, PhotoFilter.of(List.of("before=2000-01-01"))))
                    .isEmpty();
            assertThat(index.search(query, 60, PhotoFilter.of(List.of("after=2000-01-01"))))
                    .hasSize(60);
        }
        assertThatThrownBy(() -> PhotoFilter.of(List.of("colour=red"))).hasMessageContaining("label=NAME");
        assertThatThrownBy(() -> PhotoFilter.of(List.of("after=soon"))).hasMessageContaining("2025-01-31");
    }

    @Test
    void an_open_index_stays_as_it_was_while_it_is_updated() throws IOException {
        SmallIndex small = SmallIndex.in(folder).withPhotos(12);
        small.build(model);
        try (VectorIndex before = small.open()) {
            small.put("odd/new.png", "something new");
            small.build(model);
            assertThat(before.count()).isEqualTo(12);
            assertThat(before.isLatest()).isFalse();
            assertThat(before.search(before.vectorOfPath("odd/7.png").orElseThrow(), 12, null))
                    .hasSize(12);
        }
    }

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
