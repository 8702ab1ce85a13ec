package io.github.gramian.check;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
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

    /** How the reason of such a skip starts; the names of the missing packages follow. */
    String REASON = "not installed: ";

    Tool[] value();

    /** Evaluates {@link Needs} before a test or its class starts. */
    static final class InstalledCondition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                    .map(needs -> evaluate(List.of(needs.value())))
                    .orElse(ConditionEvaluationResult.enabled("needs no tool"));
        }

        private static ConditionEvaluationResult evaluate(List<Tool> needed) {
            List<Tool> missing = Tool.missing(needed, System.getenv().getOrDefault("PATH", ""));
            if (missing.isEmpty()) {
                return ConditionEvaluationResult.enabled("installed");
            }
            return ConditionEvaluationResult.disabled(
                    Needs.REASON + missing.stream().map(Tool::debianPackage).collect(Collectors.joining(" ")));
        }
    }
}
