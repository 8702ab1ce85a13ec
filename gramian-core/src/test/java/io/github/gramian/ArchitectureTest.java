package io.github.gramian;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The table of docs/architecture.md, stated so that the build checks it. */
class ArchitectureTest {

    private static final String ROOT = "io.github.gramian.";

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.github.gramian");

    /** Package → the packages it may import; a package may always import itself. */
    private static final Map<String, List<String>> MAY_IMPORT = new LinkedHashMap<>();

    static {
        MAY_IMPORT.put("tensor", List.of());
        MAY_IMPORT.put("parallel", List.of("tensor"));
        MAY_IMPORT.put("linalg", List.of("tensor"));
        MAY_IMPORT.put("manifold", List.of("tensor", "linalg"));
        MAY_IMPORT.put("layer", List.of("tensor", "linalg", "manifold"));
        MAY_IMPORT.put("optim", List.of("tensor", "linalg", "manifold", "layer"));
        MAY_IMPORT.put("image", List.of("tensor"));
        MAY_IMPORT.put("dataset", List.of("tensor", "image", "eval"));
        MAY_IMPORT.put("backbone", List.of("tensor", "image"));
        MAY_IMPORT.put("model", List.of("tensor", "linalg", "manifold", "layer", "image", "backbone", "eval"));
        MAY_IMPORT.put("eval", List.of());
        MAY_IMPORT.put(
                "train",
                List.of(
                        "tensor",
                        "parallel",
                        "linalg",
                        "manifold",
                        "layer",
                        "optim",
                        "image",
                        "dataset",
                        "backbone",
                        "model",
                        "eval"));
        MAY_IMPORT.put("measure", and("train"));
        MAY_IMPORT.put("experiment", and("measure"));
    }

    /** A package, and everything that it may import. */
    private static List<String> and(String name) {
        return Stream.concat(Objects.requireNonNull(MAY_IMPORT.get(name)).stream(), Stream.of(name))
                .toList();
    }

    @TestFactory
    Stream<DynamicTest> each_package_imports_only_what_stands_below_it() {
        return MAY_IMPORT.keySet().stream().map(room -> DynamicTest.dynamicTest(room, () -> checkRoom(room)));
    }

    private static void checkRoom(String room) {
        String[] forbidden = MAY_IMPORT.keySet().stream()
                .filter(other -> !other.equals(room) && !MAY_IMPORT.get(room).contains(other))
                .map(other -> ROOT + other + "..")
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(ROOT + room + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(forbidden)
                .allowEmptyShould(true)
                .check(CORE);
    }

    @Test
    void packages_have_no_cycles() {
        SlicesRuleDefinition.slices()
                .matching(ROOT + "(*)..")
                .should()
                .beFreeOfCycles()
                .check(CORE);
    }

    @Test
    void every_package_stands_in_the_table() {
        noClasses()
                .should()
                .resideOutsideOfPackages(MAY_IMPORT.keySet().stream()
                        .map(room -> ROOT + room + "..")
                        .toArray(String[]::new))
                .check(CORE);
    }

    @Test
    void scoring_needs_the_jdk_alone() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + "eval..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(ROOT + "eval..", "java..", "org.jspecify..")
                .allowEmptyShould(true)
                .check(CORE);
    }

    @Test
    void no_class_of_spark_is_reachable() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.spark..", ROOT + "spark..")
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
