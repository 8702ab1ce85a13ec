package io.github.gramian.dataset.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamePatternTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "([^/]+)_[0-9]+[.]jpg, bolt/part7_12.jpg, part7",
                "/(part\\d+), bolt/part7_12.jpg, part7",
                "(?:nut|bolt)/(.*)_, bolt/a_b_c.jpg, a_b",
                "(?:nut|bolt)/(.*?)_, bolt/a_b_c.jpg, a",
                "^(\\w{2})\\w, bolt/1.jpg, bo",
                "(b|bo|bol)t, bolt.jpg, bol",
                "([A-Z_]+)$, x_AB, _AB",
                "([^\\W\\d]+), 12ab.jpg, ab",
                "(x)?, bolt, ",
                "(z+), bolt, "
            })
    void the_first_capture_group_names_the_group(String pattern, String path, String expected) {
        assertThat(NamePattern.of(pattern).find(path)).isEqualTo(Optional.ofNullable(expected));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void random_patterns_find_what_a_backtracking_matcher_finds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> parts = List.of(
                "a", "b", ".", "[ab]", "[^a]", "a*", "b+?", "(?:ab|a)", "(?:b|)", "a{1,2}", "\\w", "b??", "(?:ab)*");
        for (int trial = 0; trial < 400; trial++) {
            StringBuilder pattern = new StringBuilder();
            int open = random.nextInt(3);
            for (int i = 0; i < 5; i++) {
                pattern.append(i == open ? "(" : "")
                        .append(parts.get(random.nextInt(parts.size())))
                        .append(i == open + 1 ? ")" : "");
            }
            StringBuilder path = new StringBuilder();
            for (int i = random.nextInt(12); i >= 0; i--) {
                path.append("abc".charAt(random.nextInt(3)));
            }
            Matcher expected = Pattern.compile(pattern.toString()).matcher(path);
            Optional<String> found =
                    expected.find() ? Optional.of(expected.group(1)).filter(name -> !name.isEmpty()) : Optional.empty();
            assertThat(NamePattern.of(pattern.toString()).find(path.toString()))
                    .as("%s in %s", pattern, path)
                    .isEqualTo(found);
        }
    }

    @Test
    void hostile_patterns_take_no_more_than_linear_time() {
        String path = "a".repeat(4000);
        assertThat(NamePattern.of("((?:a+)+)+b").find(path)).isEmpty();
        assertThat(NamePattern.of("(" + "a?".repeat(40) + "a".repeat(40) + ")").find("a".repeat(40)))
                .contains("a".repeat(40));
        assertThat(NamePattern.of("((?:a|aa)+)$").find(path)).contains(path);
        assertThat(NamePattern.of("((?:|)*)*x").find(path)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "part[0-9]+, has no capture group",
                "(?:part), has no capture group",
                "(a, missing closing )",
                "a(b)), cannot be used",
                "([ab, missing closing ]",
                "(a)\\1, invalid escape sequence",
                "(?=a)(b), invalid or unsupported",
                "*(a), missing argument to repetition operator",
                "\"(a{3,2})\", invalid repeat count",
                "(a)**, invalid nested repetition operator",
                "((?:(?:(?:a){99}){99}){99}), repeats too much",
                "((?:(?:(?:){999}){999}){999}), repeats too much",
                "\"((?:(?:(?:a){0,1000}){1,1000}){1000,})\", repeats too much",
                "(a{99999999999999999999}), repeats too much",
                "([z-a]), invalid character class range",
                "(a)\\, trailing backslash"
            })
    void other_patterns_are_refused_with_the_reason(String pattern, String reason) {
        assertThatThrownBy(() -> NamePattern.of(pattern))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void long_patterns_are_refused_and_deep_ones_do_no_harm() {
        assertThatThrownBy(() -> NamePattern.of("(" + "a".repeat(600) + ")")).hasMessageContaining("at most 500");
        assertThat(NamePattern.of("(".repeat(249) + "a" + ")".repeat(249)).find("a"))
                .contains("a");
    }
}
