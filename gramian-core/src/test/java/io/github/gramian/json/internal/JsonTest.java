package io.github.gramian.json.internal;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {

    record Sample(String zulu, int alpha) {}

    @Test
    void members_are_written_in_the_given_order() {
        assertThat(Json.text(Json.members(entry("z", 1), entry("a", List.of(2, 3)))))
                .isEqualTo("{\"z\":1,\"a\":[2,3]}");
        assertThat(Json.text(new Sample("x", 1))).isEqualTo("{\"zulu\":\"x\",\"alpha\":1}");
    }

    @Test
    void unknown_members_are_ignored() throws JsonProcessingException {
        assertThat(Json.value(Json.parse("{\"zulu\":\"x\",\"alpha\":1,\"new\":2}"), Sample.class))
                .isEqualTo(new Sample("x", 1));
    }

    @Test
    void null_is_not_a_number() {
        assertThatThrownBy(() -> Json.value(Json.parse("{\"alpha\":null}"), Sample.class))
                .isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void deep_nesting_and_a_second_value_are_errors() {
        assertThatThrownBy(() -> Json.parse("[".repeat(101) + "]".repeat(101)))
                .isInstanceOf(StreamConstraintsException.class);
        assertThatThrownBy(() -> Json.parse("{} {}")).isInstanceOf(JsonProcessingException.class);
    }

    record Checked(int size) {

        Checked {
            if (size < 1) {
                throw new IllegalArgumentException("size must be at least 1 but is " + size);
            }
        }
    }

    private static String reason(String json, Class<?> type) {
        try {
            Json.value(json.getBytes(StandardCharsets.UTF_8), type);
            throw new AssertionError("it was read: " + json);
        } catch (JsonProcessingException e) {
            return Json.reason(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void the_reason_names_no_class_and_no_token() {
        assertThat(reason("{\"size\": 0}", Checked.class)).isEqualTo("size must be at least 1 but is 0");
        for (String json : List.of(
                "{\"size\": [1]}",
                "[1]",
                "{\"size\": null}",
                "{\"size\": \"x\"}",
                "{} {}",
                "{\"size\": 1",
                "[".repeat(200))) {
            assertThat(reason(json, Checked.class))
                    .as(json)
                    .isNotBlank()
                    .doesNotContainPattern("`|JsonToken|[A-Z]_[A-Z]|Source");
        }
        assertThatThrownBy(() -> Json.convert(Json.treeOf(List.of(1)), Checked.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a value is missing, or of another kind than expected");
    }

    @Test
    void the_reason_is_one_line() {
        assertThatThrownBy(() -> Json.parse("{\n\"a\": }"))
                .isInstanceOfSatisfying(
                        JsonProcessingException.class,
                        wrong -> assertThat(Json.reason(wrong)).isNotBlank().doesNotContain("\n"));
    }
}
