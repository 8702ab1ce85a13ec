package io.github.gramian.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class CliArchitectureTest {

    @Test
    void the_command_line_never_touches_the_engine_itself() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.github.gramian.cli"));
    }
}
