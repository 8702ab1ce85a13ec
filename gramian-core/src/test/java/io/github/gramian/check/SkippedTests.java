package io.github.gramian.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes one file per test class of which tests were skipped by {@link Needs}, with one line of missing packages per test.
 * Surefire starts several JVMs per module and one test plan per class, so only files can be summed up at the end of the
 * build, which {@link SkippedTestsSummary} does.
 */
public final class SkippedTests implements TestExecutionListener {

    /** System property with the directory of the files; without it nothing is written. */
    static final String DIRECTORY = "gramian.test.skipped";

    private final Optional<Path> directory;
    private final Map<String, List<String>> packagesByClass = new TreeMap<>();
    private Optional<TestPlan> plan = Optional.empty();

    /** Called by JUnit. */
    public SkippedTests() {
        this(Optional.ofNullable(System.getProperty(DIRECTORY)).map(Path::of));
    }

    SkippedTests(Optional<Path> directory) {
        this.directory = directory;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = Optional.of(started);
    }

    @Override
    public void executionStarted(TestIdentifier started) {
        // A class that runs has an entry, so that the file of an earlier run is deleted.
        className(started).ifPresent(name -> packagesByClass.computeIfAbsent(name, ignored -> new ArrayList<>()));
    }

    @Override
    public void executionSkipped(TestIdentifier skipped, String reason) {
        if (reason.startsWith(Needs.REASON)) {
            String packages = reason.substring(Needs.REASON.length());
            className(skipped).ifPresent(name -> {
                List<String> lines = packagesByClass.computeIfAbsent(name, ignored -> new ArrayList<>());
                for (long test = 0; test < tests(skipped); test++) {
                    lines.add(packages);
                }
            });
        }
    }

    /** Test methods of a skipped class, or 1 for a method; a parameterised method counts once. */
    private long tests(TestIdentifier skipped) {
        boolean isClass =
                skipped.getSource().filter(ClassSource.class::isInstance).isPresent();
        return isClass
                ? plan.orElseThrow().getDescendants(skipped).stream()
                        .filter(child -> child.getSource()
                                .filter(MethodSource.class::isInstance)
                                .isPresent())
                        .count()
                : 1;
    }

    private static Optional<String> className(TestIdentifier test) {
        return test.getSource().flatMap(source -> {
            if (source instanceof ClassSource type) {
                return Optional.of(type.getClassName());
            }
            return source instanceof MethodSource method ? Optional.of(method.getClassName()) : Optional.empty();
        });
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        if (directory.isPresent()) {
            packagesByClass.forEach((name, lines) -> write(directory.get().resolve(name), lines));
        }
        packagesByClass.clear();
    }

    private static void write(Path file, List<String> lines) {
        try {
            if (lines.isEmpty()) {
                Files.deleteIfExists(file);
            } else {
                Files.createDirectories(file.getParent());
                Files.write(file, lines);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
