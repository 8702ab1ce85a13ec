package io.github.gramian.check;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Evaluates {@link Needs} before a test or its class starts. */
final class InstalledCondition implements ExecutionCondition {

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
