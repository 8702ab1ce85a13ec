package io.github.gramian.label.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelsFileTest {

    private static final Clock NOON = Clock.fixed(Instant.parse("2026-11-18T12:00:00Z"), ZoneOffset.UTC);

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("labels.csv");
    }

    private LabelsFile open() throws IOException {
        return LabelsFile.open(file(), "ada", NOON);
    }

    private DividedDataset dataset() {
        Layout layout = Layouts.detect(file());
        return layout.open(file(), layout.released(), 1, new Seed(1));
    }

    @Test
    void the_newest_label_of_each_path_is_valid_and_an_empty_one_removes_it() throws IOException {
        try (LabelsFile labels = open()) {
            labels.put(Map.of("a.jpg", "cork"));
            labels.put(Map.of("b, old.jpg", "say \"hi\""));
            labels.put(Map.of("c.jpg", "cork"));
            labels.put(Map.of("a.jpg", " wool "));
            labels.put(Map.of("c.jpg", ""));
            assertThat(labels.labels()).isEqualTo(Map.of("a.jpg", "wool", "b, old.jpg", "say \"hi\""));
        }
        assertThat(file())
                .content()
                .startsWith("path,label,group,when,by\na.jpg,cork,,2026-11-18T12:00:00Z,ada\n")
                .contains("\"b, old.jpg\",\"say \"\"hi\"\"\",,")
                .endsWith("c.jpg,,,2026-11-18T12:00:00.004Z,ada\n");
        try (LabelsFile again = open()) {
            assertThat(again.labels()).isEqualTo(Map.of("a.jpg", "wool", "b, old.jpg", "say \"hi\""));
        }
        DividedDataset dataset = dataset();
        assertThat(dataset.name()).isEqualTo("csv");
        assertThat(dataset.classes()).containsExactly("say \"hi\"", "wool");
        assertThat(dataset.samples())
                .containsExactly(new Sample("a.jpg", "a.jpg", 1), new Sample("b, old.jpg", "b, old.jpg", 0));
    }

    @Test
    void a_clock_that_was_set_back_does_not_hide_a_new_label() throws IOException {
        try (LabelsFile labels = open()) {
            labels.put(Map.of("a.jpg", "cork"));
        }
        Clock earlier = Clock.fixed(Instant.parse("2020-01-01T00:00:00Z"), ZoneOffset.UTC);
        try (LabelsFile labels = LabelsFile.open(file(), "ada", earlier)) {
            labels.put(Map.of("a.jpg", "wool"));
        }
        assertThat(LabelHistory.read(file()).labelled())
                .extracting(LabelHistory.Entry::label)
                .containsExactly("wool");
    }

    @Test
    void files_of_two_people_can_be_concatenated_in_any_order() throws IOException {
        Files.writeString(file(), """
            path,label,group,when,by
            a.jpg,new,piece 1,2026-11-02T00:00:00Z,bob
            a.jpg,old,piece 1,2026-11-01T00:00:00Z,ada
            b.jpg,old,piece 2,02/11/2026 10:00,ada
            b.jpg,new,piece 2,02/11/2026 10:00,ada
            """);
        assertThat(LabelHistory.read(file()).labelled())
                .extracting(LabelHistory.Entry::label)
                .containsExactly("new", "new");
        assertThat(LabelHistory.read(file()).labelled())
                .extracting(LabelHistory.Entry::group)
                .containsExactly("piece 1", "piece 2");
        assertThat(dataset().samples()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "b.jpg,wool", "b.jpg,wo"})
    void a_damaged_line_is_refused_with_its_number_in_the_file(String tail) throws IOException {
        Files.writeString(file(), "\npath,label\n\n\na.jpg,cork\n\n../up.jpg,cork\n" + tail);
        assertThatThrownBy(() -> LabelHistory.read(file()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("labels.csv line 7");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_file_that_is_cut_off_anywhere_keeps_every_complete_line(long seed) throws IOException {
        try (LabelsFile labels = open()) {
            for (int i = 0; i < 20; i++) {
                labels.put(Map.of("käse, " + i + ".jpg", "class \"" + i % 3 + "\""));
            }
        }
        byte[] all = Files.readAllBytes(file());
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 60; trial++) {
            int cut = random.nextInt(LabelHistory.HEADER.length() + 1, all.length);
            byte[] part = Arrays.copyOf(all, cut);
            long complete = new String(part, StandardCharsets.ISO_8859_1)
                            .chars()
                            .filter(c -> c == '\n')
                            .count()
                    - 1;
            Files.write(file(), part);
            Set<String> found = new HashSet<>(LabelHistory.read(file()).newest().keySet());
            assertThat(found).hasSizeBetween((int) complete, (int) complete + 1);
            try (LabelsFile labels = open()) {
                assertThat(labels.labels().keySet()).isEqualTo(found);
                labels.put(Map.of("next.jpg", "wool"));
            }
            LabelHistory healed = LabelHistory.read(file());
            found.add("next.jpg");
            assertThat(healed.newest().keySet()).isEqualTo(found);
            assertThat(healed.torn() || healed.endsOpen()).isFalse();
        }
    }

    @Test
    void an_incomplete_last_line_is_reported_and_zeros_of_a_lost_disk_too() throws IOException {
        String whole = LabelHistory.HEADER + "\na.jpg,cork,,2026-11-18T12:00:00Z,ada\n";
        for (String tail : new String[] {"b.jpg,co", "\"b", "\0\0\0\0", "b.jpg,cork,,2026"}) {
            Files.writeString(file(), whole + tail);
            LabelHistory history = LabelHistory.read(file());
            assertThat(history.labelled()).hasSize(1);
            assertThat(history.note().orElseThrow()).contains("the last line is incomplete and was left out");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "../a.jpg,x,,,|leaves the root",
                "/etc/passwd,x,,,|is absolute",
                "a.jpg,x|expected 5 fields but found 2",
                "\"a.jpg,x,,,|a quoted field does not end on its line",
                ",x,,,|a path must have 1 to 4096 characters"
            })
    void a_damaged_line_in_the_middle_is_refused_with_its_place(String line, String message) throws IOException {
        Files.writeString(file(), LabelHistory.HEADER + "\n" + line + "\nb.jpg,cork,,,ada\n");
        assertThatThrownBy(() -> LabelHistory.read(file()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("labels.csv line 2")
                .hasMessageContaining(message);
        assertThatThrownBy(this::open).isInstanceOf(DatasetException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+x", "-x", "@x", "  =1", "", " ", "a\tb", "a\nb", "a\u0000b", "\ud800"})
    void a_label_that_a_line_or_a_spreadsheet_could_take_for_something_else_is_refused(String label)
            throws IOException {
        assertThatThrownBy(() -> LabelsFile.checked(label)).isInstanceOf(IllegalArgumentException.class);
        try (LabelsFile labels = open()) {
            if (!label.isEmpty()) {
                assertThatThrownBy(() -> labels.put(Map.of("a.jpg", label)))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat(file()).content().isEqualTo(LabelHistory.HEADER + "\n");
    }

    @Test
    void a_path_is_never_stored_as_a_formula() throws IOException {
        try (LabelsFile labels = open()) {
            labels.put(Map.of("=cmd.jpg", "cork"));
        }
        assertThat(file()).content().contains("\n./=cmd.jpg,cork,");
        assertThat(LabelHistory.read(file()).newest()).containsOnlyKeys("=cmd.jpg");
    }

    @Test
    void a_label_that_is_given_again_counts_as_confirmed() throws IOException {
        try (LabelsFile labels = open()) {
            labels.put(Map.of("a.jpg", "cork", "b.jpg", "cork"));
            labels.put(Map.of("a.jpg", "cork"));
            assertThat(labels.isConfirmed("a.jpg")).isTrue();
            assertThat(labels.isConfirmed("b.jpg")).isFalse();
        }
        try (LabelsFile labels = open()) {
            assertThat(labels.isConfirmed("a.jpg")).isTrue();
            labels.put(Map.of("a.jpg", "wool"));
            assertThat(labels.isConfirmed("a.jpg")).isFalse();
        }
    }

    @Test
    void a_file_without_labels_and_one_that_is_in_use_are_refused_with_advice() throws IOException {
        try (LabelsFile labels = open()) {
            assertThatThrownBy(this::dataset).hasMessageContaining("has no labels yet");
            assertThatThrownBy(this::open).hasMessageContaining("another process writes into");
        }
    }

    @Test
    void a_manifest_of_paths_and_labels_gets_the_missing_columns() throws IOException {
        Files.writeString(file(), "Label,path\ncork,a.jpg\n\"wool, old\",./=b.jpg");
        try (LabelsFile labels = open()) {
            assertThat(labels.labels()).isEqualTo(Map.of("a.jpg", "cork", "=b.jpg", "wool, old"));
            assertThat(labels.canUndo()).as("nobody gave them here").isFalse();
            labels.put(Map.of("a.jpg", "wool"));
        }
        assertThat(file())
                .hasContent(LabelHistory.HEADER + "\na.jpg,cork,,,\n./=b.jpg,\"wool, old\",,,\n"
                        + "a.jpg,wool,,2026-11-18T12:00:00Z,ada\n");
        String divided = "path,label,split\na.jpg,cork,train\n";
        Files.writeString(file(), divided);
        assertThatThrownBy(this::open)
                .hasMessageContaining("has a column 'split'")
                .hasMessageContaining("path,label,group,when,by; remove the column");
        assertThat(file()).hasContent(divided);
    }

    @Test
    void a_name_with_a_colon_is_a_name_like_any_other() throws IOException {
        Set<String> odd = Set.of("a:1.jpg", "b:/2.jpg");
        try (LabelsFile labels = open()) {
            labels.put(Map.of("a:1.jpg", "cork", "b:/2.jpg", "cork"));
        }
        assertThat(LabelHistory.read(file()).newest().keySet()).isEqualTo(odd);
        Files.writeString(file(), LabelHistory.HEADER + "\na:1.jpg,cork,,,ada\n");
        assertThat(LabelHistory.read(file()).labelled()).hasSize(1);
        assertThat(dataset().samples()).containsExactly(new Sample("a:1.jpg", "a:1.jpg", 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void every_change_can_be_taken_back_also_after_a_restart(boolean restart) throws IOException {
        LabelsFile labels = open();
        labels.put(Map.of("a.jpg", "wool", "b.jpg", "wool"));
        labels.put(Map.of("a.jpg", "wool"));
        labels.put(Map.of("a.jpg", "cork"));
        labels.put(Map.of("a.jpg", "", "b.jpg", ""));
        String[] states = {"cork false wool false", "wool true wool false", "wool false wool false", " false  false"};
        for (String state : states) {
            if (restart) {
                labels.close();
                labels = open();
            }
            assertThat(labels.undo()).contains("a.jpg");
            assertThat(labels.label("a.jpg") + " " + labels.isConfirmed("a.jpg") + " " + labels.label("b.jpg") + " "
                            + labels.isConfirmed("b.jpg"))
                    .isEqualTo(state);
            assertThat(LabelHistory.read(file()).labelled())
                    .extracting(LabelHistory.Entry::label)
                    .containsExactlyInAnyOrderElementsOf(labels.labels().values());
        }
        assertThat(labels.canUndo()).isFalse();
        assertThat(labels.undo()).isEmpty();
        assertThat(labels.classes()).containsExactly("wool", "cork");
        labels.close();
    }

    @Test
    void changes_of_somebody_else_and_lines_without_a_time_stay() throws IOException {
        Files.writeString(file(), LabelHistory.HEADER + """

            c.jpg,cork,,18/11/2026 09:00,ada
            a.jpg,cork,,2026-11-18T10:00:00Z,ada
            b.jpg,wool,,2026-11-18T11:00:00Z,bob
            """);
        try (LabelsFile labels = open()) {
            assertThat(labels.canUndo()).as("bob's is between").isFalse();
            labels.put(Map.of("b.jpg", "cork"));
            assertThat(labels.undo()).containsExactly("b.jpg");
            assertThat(labels.label("b.jpg")).isEqualTo("wool");
            assertThat(labels.canUndo()).isFalse();
        }
        Files.writeString(file(), LabelHistory.HEADER + "\nc.jpg,cork,,18/11/2026 09:00,ada\n");
        try (LabelsFile labels = open()) {
            assertThat(labels.canUndo()).isFalse();
        }
    }
}
