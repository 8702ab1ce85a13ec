package io.github.gramian;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Types for users are few, and mention no internal type (docs/decisions/0012-front-door.md). */
class FrontDoorTest {

    private static final int MAX = 133;

    private static final JavaClasses BOTH = new ClassFileImporter()
            .importPaths(Path.of("target", "classes"), Path.of("..", "gramian-core", "target", "classes"));

    @Test
    void both_libraries_together_have_few_public_types_outside_of_internal_packages() {
        List<String> open = BOTH.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getPackageName().contains(".internal"))
                .map(JavaClass::getName)
                .sorted()
                .toList();
        assertThat(open)
                .as("make a type package-private, or move it to an internal package")
                .hasSizeBetween(50, MAX);
    }

    @Test
    void no_visible_member_of_a_type_for_users_mentions_an_internal_type() {
        assertThat(Leaks.in(BOTH)).isEmpty();
    }

    @Test
    void every_exception_for_users_descends_from_one_root() {
        List<String> others = BOTH.stream()
                .filter(FrontDoorTest::isVisible)
                .filter(type -> !type.getPackageName().contains(".internal"))
                // Loaded, because the imported classes do not include the JDK's exceptions.
                .filter(type -> Throwable.class.isAssignableFrom(type.reflect()))
                .filter(type -> !GramianException.class.isAssignableFrom(type.reflect()))
                .map(JavaClass::getName)
                .toList();
        assertThat(others)
                .as("extend GramianException or InvalidInputException")
                .isEmpty();
    }

    /** Whether a type and all types around it are public: types inside an interface are so by themselves. */
    private static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(FrontDoorTest::isVisible).orElse(true);
    }
}
