package io.github.gramian.experiments;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.github.gramian.ArchitecturePage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ExperimentsArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-experiments");
    }

    @Test
    void experiments_never_touch_the_engine_themselves() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(ArchitecturePage.classes());
    }
}
