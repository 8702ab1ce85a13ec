package io.github.gramian.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.github.gramian.ArchitecturePage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class SparkArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-spark");
    }

    @Test
    void the_module_never_touches_the_engine_itself() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(ArchitecturePage.classes());
    }

    @Test
    void shards_know_nothing_of_models() {
        noClasses()
                .that()
                .resideInAPackage("..spark.shard..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..gramian.model..")
                .check(ArchitecturePage.classes());
    }
}
