package io.github.gramian.json.internal;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
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

    @Test
    void the_reason_is_one_line() {
        assertThatThrownBy(() -> Json.parse("{\n\"a\": }"))
                .isInstanceOfSatisfying(
                        JsonProcessingException.class,
                        wrong -> assertThat(Json.reason(wrong)).isNotBlank().doesNotContain("\n"));
    }
}
