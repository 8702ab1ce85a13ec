package io.github.gramian.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.github.gramian.ArchitecturePage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CliArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-cli");
    }

    @Test
    void the_command_line_never_touches_the_engine_itself() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(ArchitecturePage.classes());
    }
}
