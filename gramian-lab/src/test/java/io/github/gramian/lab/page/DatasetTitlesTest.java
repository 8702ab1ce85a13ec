package io.github.gramian.lab.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DatasetTitlesTest {

    private static DatasetTitles parse(String yaml) {
        return DatasetTitles.parse(yaml, "titles.yaml");
    }

    @Test
    void a_dataset_has_the_title_of_the_file_under_all_its_names() {
        DatasetTitles titles = parse("""
                dtd: {title: DTD-45, about: 45 of 47 classes, link: data.md#dtd-45, also: [dtd-5, dtd-10]}
                pets: {title: Pets}
                """);
        assertThat(titles.of("dtd-10").full()).isEqualTo("DTD-45: 45 of 47 classes");
        assertThat(titles.of("pets").full()).isEqualTo("Pets");
        assertThat(titles.of("other").full()).isEqualTo("other");
        assertThat(DatasetTitles.none().of("dtd").full()).isEqualTo("dtd");
    }

    @Test
    void the_definition_is_linked_without_anything_that_ends_a_link() {
        DatasetTitles titles = parse("a: {title: A, link: '../x.md#y) <b> (z'}\nb: {title: B}");
        assertThat(DatasetPage.definition(titles.of("a"))).endsWith("](../x.md#ybz).");
        assertThat(DatasetPage.definition(titles.of("b"))).isEmpty();
    }

    @Test
    void a_wrong_file_is_named_with_the_key() {
        assertThatThrownBy(() -> parse("dtd: {title: DTD, abuot: x}")).hasMessageContainingAll("titles.yaml", "abuot");
        assertThatThrownBy(() -> parse("dtd: {about: x}")).hasMessageContaining("title");
        assertThatThrownBy(() -> parse("a: {title: A, also: [b]}\nb: {title: B}"))
                .hasMessageContainingAll("'b'", "two titles");
        assertThatThrownBy(() -> parse("- a")).hasMessageContaining("titles.yaml");
        assertThatThrownBy(() -> parse("a: [")).hasMessageContaining("titles.yaml");
    }
}
