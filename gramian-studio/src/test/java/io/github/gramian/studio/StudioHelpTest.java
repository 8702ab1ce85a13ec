package io.github.gramian.studio;

import io.github.gramian.cli.HelpRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class StudioHelpTest {

    @TestFactory
    Stream<DynamicTest> summaries_fit_on_a_line_and_options_are_phrases_with_their_defaults() {
        return HelpRules.tests();
    }
}
