package io.github.gramian.bench;

import io.github.gramian.ArchitecturePage;
import io.github.gramian.cli.HelpRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class BenchArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-bench");
    }

    @TestFactory
    Stream<DynamicTest> summaries_fit_on_a_line_and_options_are_phrases_with_their_defaults() {
        return HelpRules.tests();
    }
}
