package io.github.gramian.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

class SparkArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.github.gramian.spark");

    @Test
    void the_module_never_touches_the_engine_itself() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(CLASSES);
    }

    @Test
    void the_module_does_not_know_the_command_line() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.github.gramian.cli..")
                .check(CLASSES);
    }

    @Test
    void shards_know_nothing_of_models_and_stages_nothing_of_jobs() {
        noClasses()
                .that()
                .resideInAPackage("..spark.shard..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("..gramian.model..", "..spark.executor..", "..spark.job..", "..spark.ml..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("..spark.ml..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("..spark.job..", "..spark.shard..")
                .check(CLASSES);
    }

    @Test
    void packages_have_no_cycles() {
        SlicesRuleDefinition.slices()
                .matching("io.github.gramian.spark.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }
}
