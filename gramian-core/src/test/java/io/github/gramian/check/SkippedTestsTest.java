package io.github.gramian.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.LauncherConstants;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** On a machine without a tool, the tests that need it are counted in one line that names the package. */
class SkippedTestsTest {

    @TempDir
    Path build;

    @Disabled(Needs.REASON + "python3-torchvision")
    static final class WholeClass {

        @Test
        void first() {
            Assertions.fail("must not run");
        }

        @Test
        void second() {
            Assertions.fail("must not run");
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void third(int parameter) {
            assertThat(parameter).as("must not run").isZero();
        }
    }

    static final class SomeMethods {

        @Test
        void runs() {}

        @Test
        @Disabled("has another reason")
        void skipped_for_another_reason() {}

        @Test
        @Disabled(Needs.REASON + "python3-pil python3-torchvision")
        void needs_two_packages() {
            Assertions.fail("must not run");
        }
    }

    static final class NothingSkipped {

        @Test
        void runs() {}
    }

    private void run(String module, Class<?>... tests) {
        LauncherConfig alone = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new SkippedTests(Optional.of(directory(module))))
                .build();
        LauncherFactory.create(alone)
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(List.of(tests).stream()
                                .map(test -> selectClass(test))
                                .toList())
                        .configurationParameter(LauncherConstants.STACKTRACE_PRUNING_ENABLED_PROPERTY_NAME, "false")
                        .build());
    }

    private Path directory(String module) {
        return build.resolve(module).resolve("target").resolve("skipped-tests");
    }

    @Test
    void one_line_counts_the_skipped_tests_of_all_modules_and_names_the_packages() throws IOException {
        run("gramian-core", WholeClass.class, NothingSkipped.class);
        run("gramian-vision", SomeMethods.class);
        assertThat(SkippedTestsSummary.line(build))
                .isEqualTo("Skipped tests whose tools are not installed: 4 (python3-pil 1, python3-torchvision 4). "
                        + "To run them on Debian: apt install python3-pil python3-torchvision");
    }

    @Test
    void nothing_is_printed_if_nothing_was_skipped_in_the_newest_run() throws IOException {
        Files.createDirectories(directory("gramian-core"));
        Path old = Files.writeString(
                directory("gramian-core").resolve(NothingSkipped.class.getName()), "python3-torchvision\n");
        assertThat(SkippedTestsSummary.line(build)).contains(": 1 (");
        run("gramian-core", NothingSkipped.class);
        assertThat(old).doesNotExist();
        assertThat(SkippedTestsSummary.line(build)).isEmpty();
    }

    @Test
    void a_program_is_missing_if_no_directory_of_the_search_path_has_it() throws IOException {
        Path directory = Files.createDirectories(build.resolve("bin"));
        assertThat(Tool.missing(List.of(Tool.CHROMIUM), directory.toString())).containsExactly(Tool.CHROMIUM);
        Path program = Files.createFile(directory.resolve("google-chrome"));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThat(Tool.missing(List.of(Tool.CHROMIUM), "/nowhere:" + directory))
                .isEmpty();
    }
}
