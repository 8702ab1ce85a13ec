package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {

    @Test
    void a_long_string_ends_with_an_ellipsis() {
        assertThat(Text.shortened("oak", 3)).isEqualTo("oak");
        assertThat(Text.shortened("maple", 3)).isEqualTo("ma…");
    }

    @Test
    void no_character_is_cut_in_half() {
        assertThat(Text.shortened("🌲🌳🌴", 2)).isEqualTo("🌲…");
    }

    @Test
    void a_message_shortens_what_it_quotes() {
        assertThat(Text.message("unknown key '" + "k".repeat(200_000) + "'; did you mean 'epochs'?"))
                .startsWith("unknown key 'kkk")
                .endsWith("k… did you mean 'epochs'?")
                .hasSizeLessThan(600);
        assertThat(Text.message("long word ".repeat(100_000))).hasSize(3000);
    }

    @Test
    void a_failure_without_a_message_is_named_by_its_kind() {
        assertThat(Text.firstLine(new IllegalStateException())).isEqualTo("IllegalStateException");
        assertThat(Text.firstLine(new IllegalStateException("one\ntwo"))).isEqualTo("one");
        assertThat(Text.firstLine("")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1; image; 1 image",
                "0; image; 0 images",
                "1200; image; 1,200 images",
                "1; class; 1 class",
                "2; class; 2 classes"
            })
    void a_count_has_the_singular_or_the_plural(long value, String one, String shown) {
        assertThat(Text.count(value, one)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"0.4, 0 s", "59.4, 59 s", "60, 1 min 0 s", "3599, 59 min 59 s", "3600, 1 h 0 min", "12345, 3 h 25 min"})
    void durations_are_shown_in_two_units(double seconds, String shown) {
        assertThat(Text.duration(seconds)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.05", "1e-3", "5", "-.5", "+1.", "2E+2"})
    void decimal_numbers_are_read(String text) {
        assertThat(Text.decimal(text)).isEqualTo(Double.parseDouble(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0x1p-3", "1d", "0.5f", " 0.5", "0.5 ", "NaN", "Infinity", "1e999", ".", "\u0663", "1,5"})
    void other_forms_of_numbers_are_refused(String text) {
        assertThatThrownBy(() -> Text.decimal(text))
                .isInstanceOf(NumberFormatException.class)
                .hasMessage("'" + text + "' is not a decimal number, such as 0.05");
    }
}
