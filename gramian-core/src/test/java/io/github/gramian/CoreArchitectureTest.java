package io.github.gramian;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CoreArchitectureTest {

    private static final JavaClasses CORE = ArchitecturePage.classes();

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-core");
    }

    @Test
    void files_and_threads_need_only_the_jdk() {
        noClasses()
                .that()
                .resideInAPackage("io.github.gramian.io.internal")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("io.github.gramian.io.internal", "java..", "org.jspecify..")
                .check(CORE);
    }

    @Test
    void only_the_command_line_prints_or_exits() {
        noClasses()
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "exit", int.class)
                .check(CORE);
    }
}
