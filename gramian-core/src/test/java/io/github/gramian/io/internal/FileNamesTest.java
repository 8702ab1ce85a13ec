package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

class FileNamesTest {

    @Test
    void plain_names_do_not_change() {
        Path path = Path.of("a folder", "größe.png");
        assertThat(FileNames.text(path)).isEqualTo(path.toString());
        assertThat(FileNames.path("a.png")).isEqualTo(Path.of("a.png"));
        assertThat(FileNames.within(Path.of("here"), "a.png")).isEqualTo(Path.of("here", "a.png"));
        assertThat(FileNames.isEscaped(Path.of("a.png"))).isFalse();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void a_string_that_is_not_a_path_becomes_one_that_shows_why() {
        assertThat(FileNames.path("a\0b.png")).isEqualTo(Path.of("a\\u0000b.png"));
        assertThat(FileNames.within(Path.of("here"), "a\0b.png")).isEqualTo(Path.of("here", "a\\u0000b.png"));
        assertThat(FileNames.isEscaped(FileNames.path("a\0b.png"))).isTrue();
        assertThat(FileNames.isEscaped(Path.of("odd\\xFF.png"))).isTrue();
    }

    @Test
    void a_name_that_holds_the_replacement_character_itself_is_text() {
        Path path = Path.of("a\uFFFDb.png");
        assertThat(FileNames.text(path)).isEqualTo(path.toString());
    }
}
