package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class GramianVersionTest {

    private static final String ID = "git.commit.id=0123456789abcdef0123456789abcdef01234567\n";

    private static String commit(String noted) throws IOException {
        return GramianVersion.commit(new ByteArrayInputStream(noted.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_commit_is_named_in_short_and_changes_are_said() throws IOException {
        assertThat(commit(ID + "git.dirty=false\n")).isEqualTo("0123456789");
        assertThat(commit(ID + "git.dirty=true\n")).isEqualTo("0123456789 with changes");
        assertThat(commit("")).isEqualTo("unknown");
    }

    @Test
    void a_build_without_a_repository_is_of_an_unknown_commit() {
        assertThat(GramianVersion.commit()).matches("\\p{XDigit}{10}( with changes)?|unknown");
    }
}
