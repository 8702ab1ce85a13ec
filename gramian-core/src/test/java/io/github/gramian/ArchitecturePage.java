package io.github.gramian;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * The tables of docs/architecture.md as rules for the module under test. Each stands under a heading that names a module;
 * a row names a package and what it may import, which includes what those may import themselves. A package and its {@code
 * internal} part are one row. The row {@code gramian} is the root package.
 */
public final class ArchitecturePage {

    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    private static final String ROOT = "io.github.gramian.";

    /** The row of the root package, which every package may import. */
    private static final String ROOT_ROW = "gramian";

    private static final String INTERNAL = ".internal";
    private static final Pattern HEADING = Pattern.compile("## .*`(gramian-\\w+)`.*");
    private static final Pattern ROW = Pattern.compile("\\| `([a-z0-9.]+)` \\| ([^|]*) \\| [^|]+ \\|");
    private static final Pattern NAME = Pattern.compile("`([a-z0-9.]+)`");

    /** Of libraries every import of ours is checked, of programs those among their own packages. */
    private static final List<String> LIBRARIES = List.of("gramian-core", "gramian-vision");

    /** Module → package → packages that its row names. */
    private final Map<String, Map<String, Set<String>>> tables = new LinkedHashMap<>();

    private ArchitecturePage() {
        Map<String, Set<String>> table = new LinkedHashMap<>();
        for (String line : lines()) {
            Matcher heading = HEADING.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                table = new LinkedHashMap<>();
                tables.put(heading.group(1), table);
            } else if (line.startsWith("## ")) {
                table = new LinkedHashMap<>();
            } else if (row.matches()) {
                table.put(row.group(1), names(row.group(2)));
            }
        }
    }

    private static List<String> lines() {
        try {
            return Files.readAllLines(PAGE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> names(String cell) {
        return NAME.matcher(cell).results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The classes of the module under test, without its tests. */
    public static JavaClasses classes() {
        return new ClassFileImporter().importPath(Path.of("target", "classes"));
    }

    /** One test for each package of a module, and two for the table as a whole. */
    public static Stream<DynamicTest> rules(String module) {
        ArchitecturePage page = new ArchitecturePage();
        Map<String, Set<String>> table = page.tables.getOrDefault(module, Map.of());
        JavaClasses classes = classes();
        Stream<DynamicTest> rows = table.keySet().stream()
                .map(name -> DynamicTest.dynamicTest(name, () -> page.checkRow(module, name, classes)));
        return Stream.concat(
                Stream.of(
                        DynamicTest.dynamicTest(
                                "every package has a row, and every row a package",
                                () -> assertThat(packages(classes)).isEqualTo(new TreeSet<>(table.keySet()))),
                        DynamicTest.dynamicTest(
                                "no cycles",
                                () -> SlicesRuleDefinition.slices()
                                        .assignedFrom(new ByRow())
                                        .should()
                                        .beFreeOfCycles()
                                        .check(classes))),
                rows);
    }

    private static Set<String> packages(JavaClasses classes) {
        return classes.stream().map(ArchitecturePage::row).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The row of a class. */
    private static String row(JavaClass type) {
        return isRoot(type)
                ? ROOT_ROW
                : type.getPackageName().substring(ROOT.length()).replace(INTERNAL, "");
    }

    private static boolean isRoot(JavaClass type) {
        return ROOT.equals(type.getPackageName() + ".");
    }

    /** The packages of some rows. */
    private static String[] packages(Set<String> rows) {
        return rows.stream()
                .flatMap(row -> ROOT_ROW.equals(row)
                        ? Stream.of(ROOT.substring(0, ROOT.length() - 1))
                        : Stream.of(ROOT + row, ROOT + row + INTERNAL))
                .toArray(String[]::new);
    }

    /** Classes of a row are one slice. */
    private static final class ByRow implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return isRoot(type) || type.getPackageName().startsWith(ROOT)
                    ? SliceIdentifier.of(row(type))
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages with their internal parts";
        }
    }

    private void checkRow(String module, String name, JavaClasses classes) {
        Set<String> allowed = new TreeSet<>(Set.of(ROOT_ROW));
        collect(name, allowed);
        String[] names = packages(allowed);
        DescribedPredicate<JavaClass> ours = LIBRARIES.contains(module)
                ? resideInAPackage(ROOT + ".")
                : resideInAnyPackage(
                        packages(tables.getOrDefault(module, Map.of()).keySet()));
        noClasses()
                .that()
                .resideInAnyPackage(packages(Set.of(name)))
                .should()
                .dependOnClassesThat(ours.and(DescribedPredicate.not(resideInAnyPackage(names)))
                        .as("are not in its row"))
                .check(classes);
    }

    private void collect(String name, Set<String> found) {
        if (found.add(name)) {
            Set<String> row = tables.values().stream()
                    .filter(table -> table.containsKey(name))
                    .map(table -> table.get(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("docs/architecture.md has no row for " + name));
            row.forEach(other -> collect(other, found));
        }
    }
}
