package io.github.gramian;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.gramian.tensor.Seed;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class VisionArchitectureTest {

    private static final String ROOT = "io.github.gramian.";
    private static final JavaClasses VISION = ArchitecturePage.classes();

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-vision");
    }

    @Test
    void scoring_needs_only_the_jdk() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + "eval..", ROOT + "certainty")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        ROOT + "eval..", ROOT + "certainty", "io.github.gramian", "java..", "org.jspecify..")
                .check(VISION);
    }

    @Test
    void decoding_needs_no_engine() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + "image.codec..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.bytedeco.pytorch..", "org.bytedeco.openblas..", ROOT + "tensor..")
                .check(VISION);
    }

    @Test
    void images_and_datasets_need_no_engine() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + "image..", ROOT + "dataset..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("org.bytedeco.pytorch..", "org.bytedeco.openblas..", ROOT + "tensor..")
                                .and(not(type(Seed.class)))
                                .as("are of the engine"))
                .check(VISION);
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
                .check(VISION);
    }
}
