package io.github.gramian.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Skips a test, or all tests of a class, if one of these tools is not installed. The build ends with one line that counts
 * such tests and names the packages.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.InstalledCondition.class)
public @interface Needs {

    Tool[] value();

    /** Evaluates {@link Needs} before a test or its class starts, and leaves a file for {@link SkippedTestsSummary} if it is skipped. */
    static final class InstalledCondition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Optional<Needs> needs = AnnotationSupport.findAnnotation(context.getElement(), Needs.class);
            if (needs.isEmpty()) {
                return ConditionEvaluationResult.enabled("needs no tool");
            }
            String packages =
                    Tool.missing(List.of(needs.get().value()), System.getenv().getOrDefault("PATH", "")).stream()
                            .map(Tool::debianPackage)
                            .collect(Collectors.joining(" "));
            note(context, packages);
            return packages.isEmpty()
                    ? ConditionEvaluationResult.enabled("installed")
                    : ConditionEvaluationResult.disabled("not installed: " + packages);
        }

        /** One file per test or class, in the directory of the system property, which Maven sets; one of an earlier run is deleted. */
        private static void note(ExtensionContext context, String packages) {
            String directory = System.getProperty("gramian.test.skipped", "");
            if (directory.isEmpty()) {
                return;
            }
            String name = context.getRequiredTestClass().getName()
                    + context.getTestMethod()
                            .map(method -> "." + method.getName())
                            .orElse("");
            Path file = Path.of(directory, name);
            try {
                if (packages.isEmpty()) {
                    Files.deleteIfExists(file);
                } else {
                    Files.createDirectories(file.getParent());
                    Files.writeString(file, packages);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
