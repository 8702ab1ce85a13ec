package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("run/search/journal.jsonl");
    }

    private static TrialResult trial(String candidate) {
        return new TrialResult(candidate, 1, "30-2", 9, 100, 1.25, 0.5, 2);
    }

    @Test
    void stored_trials_are_read_again() throws IOException {
        Journal journal = Journal.open(file(), "a");
        journal.keep(trial("x@y"), 12);
        journal.keepFailure("z@y", "too large", 13);
        journal.keepRefusal("w@y 1", 14.5);
        journal.keepStart(2, 15);
        Journal again = Journal.open(file(), "a");
        assertThat(again.trial("x@y", 1)).contains(trial("x@y"));
        assertThat(again.trial("x@y", 0)).isEmpty();
        assertThat(again.failures()).containsEntry("z@y", "too large");
        assertThat(again.isRefused("w@y 1")).isTrue();
        assertThat(again.start()).contains(2);
        assertThat(again.seconds()).isEqualTo(15);
    }

    @Test
    void a_journal_of_another_search_is_refused() throws IOException {
        Journal.open(file(), "a");
        assertThatThrownBy(() -> Journal.open(file(), "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another --out");
    }

    @Test
    void damage_in_the_middle_is_named_and_at_the_end_cut_off() throws IOException {
        Journal journal = Journal.open(file(), "a");
        journal.keep(trial("x@y"), 1);
        journal.keep(trial("y@y"), 2);
        String good = Files.readString(file());
        Files.writeString(file(), good.substring(0, good.length() - 9));
        assertThat(Journal.open(file(), "a").trials()).hasSize(1);
        Files.writeString(file(), good.replace("x@y", "q@y"));
        assertThatThrownBy(() -> Journal.open(file(), "a")).hasMessageContaining("damaged in line 2");
    }
}
