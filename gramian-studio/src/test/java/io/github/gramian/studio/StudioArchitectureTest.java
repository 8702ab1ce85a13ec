package io.github.gramian.studio;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.ArchitecturePage;
import io.github.gramian.Leaks;
import io.github.gramian.cli.HelpRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class StudioArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-studio");
    }

    @Test
    void the_studio_never_touches_the_engine_itself() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(ArchitecturePage.classes());
    }

    @Test
    void projects_know_nothing_of_http() {
        noClasses()
                .that()
                .resideInAPackage("..studio.project..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.eclipse.jetty..", "io.github.gramian.serve..")
                .check(ArchitecturePage.classes());
    }

    @Test
    void no_visible_member_of_a_type_for_users_mentions_an_internal_type() {
        assertThat(Leaks.in(ArchitecturePage.classes())).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> summaries_fit_on_a_line_and_options_are_phrases_with_their_defaults() {
        return HelpRules.tests();
    }
}
