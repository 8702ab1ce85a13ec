package io.github.gramian.studio;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The flows on docs/architecture.md: each class is used by one before it, and no flow is longer than it may be. */
class FlowsTest {

    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    private static final Pattern FLOW = Pattern.compile("\\| (\\w[\\w ]*) \\| (`.+) \\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    /** The largest number of classes of each flow. */
    private static final Map<String, Integer> LIMITS = Map.of("train", 12, "predict", 7, "serve", 9, "label", 9);

    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
            .importPackages("io.github.gramian");

    @TestFactory
    Stream<DynamicTest> each_class_of_a_flow_is_used_by_one_before_it() throws IOException {
        Map<String, List<String>> flows = flows();
        assertThat(flows.keySet()).isEqualTo(LIMITS.keySet());
        return flows.entrySet().stream()
                .map(flow -> DynamicTest.dynamicTest(flow.getKey(), () -> check(flow.getKey(), flow.getValue())));
    }

    private static Map<String, List<String>> flows() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf("## Four flows");
        String section = page.substring(start, page.indexOf("\n## ", start + 1));
        return section.lines()
                .map(FLOW::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.toMap(
                        row -> row.group(1),
                        row -> NAME.matcher(row.group(2))
                                .results()
                                .map(name -> name.group(1))
                                .toList()));
    }

    private static void check(String flow, List<String> names) {
        assertThat(names).hasSizeBetween(2, LIMITS.getOrDefault(flow, 0)).doesNotHaveDuplicates();
        Set<String> used = new HashSet<>();
        for (int i = 0; i < names.size(); i++) {
            assertThat(named(names.get(i)).toList())
                    .as("classes called %s", names.get(i))
                    .isNotEmpty();
            if (i > 0) {
                assertThat(used).as("what the classes before it use").contains(names.get(i));
            }
            used.addAll(used(names.get(i)));
        }
    }

    /** The classes of this name, with those nested in them. */
    private static Stream<JavaClass> named(String name) {
        return OURS.stream().filter(one -> outermost(one).equals(name));
    }

    private static String outermost(JavaClass one) {
        String name = one.getName();
        return name.substring(name.lastIndexOf('.') + 1).split("\\$", 2)[0];
    }

    /** What a class of this name, or an implementation that it may be given, uses. */
    private static Set<String> used(String name) {
        return named(name)
                .flatMap(one -> Stream.concat(Stream.of(one), one.getAllSubclasses().stream()))
                .flatMap(one -> one.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .map(FlowsTest::outermost)
                .collect(Collectors.toSet());
    }
}
