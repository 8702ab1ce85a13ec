package io.github.gramian;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CoreArchitectureTest {

    private static final Path ROOT = Path.of("..");
    private static final int MAX_FILES = 20;
    private static final int MAX_LINES = 600;
    private static final int MAX_PARAMETERS = 8;

    private static final JavaClasses CORE = ArchitecturePage.classes();

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-core");
    }

    @Test
    void files_and_threads_need_only_the_jdk() {
        noClasses()
                .that()
                .resideInAPackage("io.github.gramian.io.internal")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "io.github.gramian.io.internal",
                        "java..",
                        "org.jspecify..",
                        "com.google.errorprone.annotations")
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

    @Test
    void packages_have_at_most_thirty_files() throws IOException {
        Map<String, Long> sizes = sources().stream()
                .collect(Collectors.groupingBy(
                        file -> name(requireNonNull(file.getParent())), TreeMap::new, Collectors.counting()));
        sizes.values().removeIf(size -> size <= MAX_FILES);
        assertThat(sizes).as("packages of more than %d files", MAX_FILES).isEmpty();
    }

    @Test
    void files_have_at_most_six_hundred_lines() throws IOException {
        Map<String, Integer> lengths = new TreeMap<>();
        for (Path file : sources()) {
            int lines = Files.readAllLines(file).size();
            if (lines > MAX_LINES) {
                lengths.put(name(file), lines);
            }
        }
        assertThat(lengths).as("files of more than %d lines", MAX_LINES).isEmpty();
    }

    @Test
    void methods_and_constructors_have_at_most_eight_parameters() throws IOException {
        Set<String> wide = new TreeSet<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask parsing = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources()));
            for (CompilationUnitTree unit : parsing.parse()) {
                new WideSignatures(wide).scan(unit, "");
            }
        }
        assertThat(wide).as("more than %d parameters", MAX_PARAMETERS).isEmpty();
    }

    /** Collects methods by the names of their classes. */
    private static final class WideSignatures extends TreeScanner<@Nullable Void, String> {

        private final Set<String> found;
        private boolean inRecord;

        WideSignatures(Set<String> found) {
            this.found = found;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, String outer) {
            String name = type.getSimpleName().toString();
            boolean outerIsRecord = inRecord;
            inRecord = type.getKind() == Tree.Kind.RECORD;
            super.visitClass(type, outer.isEmpty() ? name : outer + "." + name);
            inRecord = outerIsRecord;
            return null;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, String type) {
            boolean components = inRecord && method.getReturnType() == null;
            if (method.getParameters().size() > MAX_PARAMETERS && !components) {
                found.add(type + "." + method.getName());
            }
            return super.visitMethod(method, type);
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> roots = modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList();
            List<Path> sources = new ArrayList<>();
            for (Path root : roots) {
                try (Stream<Path> files = Files.walk(root)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
            return sources;
        }
    }

    private static String name(Path path) {
        return ROOT.relativize(path)
                .toString()
                .replaceFirst(".*io.github.gramian.", "")
                .replace('\\', '/');
    }
}
