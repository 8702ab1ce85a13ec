package io.github.gramian.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.ArchitecturePage;
import io.github.gramian.Leaks;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class OnnxArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-onnx");
    }

    @Test
    void no_visible_member_of_a_type_for_users_mentions_an_internal_type() {
        assertThat(Leaks.in(ArchitecturePage.classes())).isEmpty();
    }
}
