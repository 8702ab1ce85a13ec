package io.github.gramian.serve.inference.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModelRepositoryTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** What may stand in the place of a model for a while. */
    private enum Wrong {
        NOTHING("model.gramian does not exist"),
        LINK_TO_NOTHING("model.gramian does not exist"),
        DIRECTORY("model.gramian is not a model: the directory has neither model.gramian nor recipe.yaml"),
        PIPE("model.gramian is not a regular file but a directory, a pipe or a device"),
        LINK_TO_DEVICE("model.gramian is not a regular file but a directory, a pipe or a device"),
        EMPTY("not a complete model"),
        HALF("not a complete model"),
        LARGER_THAN_MEMORY("has 8000000000000 bytes, but at most"),
        ZEROS("not a complete model");

        private final String reason;

        Wrong(String reason) {
            this.reason = reason;
        }

        void put(Path file) throws Exception {
            switch (this) {
                case NOTHING -> {}
                case LINK_TO_NOTHING -> Files.createSymbolicLink(file, Path.of("/no/such/file"));
                case DIRECTORY -> Files.createDirectory(file);
                case PIPE ->
                    assertThat(new ProcessBuilder("mkfifo", file.toString())
                                    .start()
                                    .waitFor())
                            .isZero();
                case LINK_TO_DEVICE -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
                case EMPTY -> Files.createFile(file);
                case HALF -> {
                    byte[] whole = Files.readAllBytes(SmallModels.second());
                    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
                }
                case LARGER_THAN_MEMORY -> sparse(file, 8_000_000_000_000L - 1);
                case ZEROS -> sparse(file, 10_000_000_000L);
            }
        }

        private static void sparse(Path file, long last) throws IOException {
            try (FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[1]), last);
            } catch (IOException e) {
                Assumptions.abort("this disk has no files of that size");
            }
        }
    }

    /** The results of reloads. */
    private final List<String> notes = new ArrayList<>();

    private void note(ModelSpec model, @Nullable Exception failure) {
        notes.add(failure == null ? "loaded" : Failure.of(failure).line());
    }

    private static ModelRepository repository(ModelSpec spec) throws IOException {
        ServerMetrics metrics = new ServerMetrics();
        return ModelRepository.load(
                List.of(spec), new BatchLimits(2, Duration.ZERO, 4), one -> metrics.batches(one.toString()));
    }

    @ParameterizedTest
    @EnumSource
    @EnabledOnOs(OS.LINUX)
    @Timeout(60)
    void what_is_not_a_model_is_reported_once_and_the_next_model_is_used(Wrong wrong) throws Exception {
        Path file = Files.copy(SmallModels.first(), folder.resolve("model.gramian"));
        ModelSpec spec = new ModelSpec("textures", "1", file);
        try (ModelRepository models = repository(spec)) {
            ServedModel first = models.all().get(0);
            Files.delete(file);
            wrong.put(file);
            for (int round = 0; round < 4; round++) {
                models.reloadReplaced(spec, this::note);
            }
            assertThat(notes).singleElement().asString().contains(wrong.reason);
            assertThat(models.all()).containsExactly(first);
            Files.deleteIfExists(file);
            Files.copy(SmallModels.second(), file);
            models.reloadReplaced(spec, this::note);
            assertThat(models.all()).containsExactly(first); // it may still be being written
            models.reloadReplaced(spec, this::note);
            assertThat(notes).hasSize(2).last().isEqualTo("loaded");
            assertThat(models.all().get(0).sha256())
                    .isEqualTo(new Sha256().add(SmallModels.second()).hex());
            first.awaitFreed();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_link_to_a_model_is_followed() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("model.gramian"), SmallModels.first());
        ModelSpec spec = new ModelSpec("textures", "1", link);
        try (ModelRepository models = repository(spec)) {
            Files.delete(link);
            Files.createSymbolicLink(link, SmallModels.second());
            models.reloadReplaced(spec, this::note);
            models.reloadReplaced(spec, this::note);
            models.reloadReplaced(spec, this::note);
            assertThat(notes).containsExactly("loaded");
        }
    }

    @Test
    void a_closed_repository_neither_lends_nor_loads() throws Exception {
        ModelRepository models = repository(new ModelSpec("textures", "1", SmallModels.first()));
        models.close();
        models.close();
        assertThatThrownBy(() -> models.lease("textures", Optional.empty())).isInstanceOf(RequestException.class);
        assertThatThrownBy(() -> models.reload("textures", Optional.empty()))
                .isInstanceOf(RequestException.class)
                .hasMessageContaining("textures:1 is not served any more");
    }
}
