package io.github.gramian;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Java in the documentation is Java that a test runs: every statement of it is part of an example, in the same order. */
class SnippetsTest {

    /** Programs that export or index photographs are tests of other modules, which this one cannot see. */
    private static final List<Path> EXAMPLES = List.of(
            Path.of("src/test/java/examples"),
            Path.of("../gramian-onnx/src/test/java/examples"),
            Path.of("../gramian-similar/src/test/java/examples"),
            Path.of("../gramian-spark/src/test/java/examples"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../README.md",
                "../docs/java-tutorial.md",
                "../docs/java.md",
                "../docs/java-mathematics.md",
                "../docs/extending.md",
                "../docs/backbones.md",
                "../docs/import-weights.md",
                "../docs/onnx.md",
                "../docs/similar.md",
                "../docs/spark.md"
            })
    void every_java_snippet_is_part_of_an_example_that_runs(Path page) throws IOException {
        List<String> examples = new ArrayList<>();
        for (Path directory : EXAMPLES) {
            try (Stream<Path> files = Files.list(directory)) {
                files.map(SnippetsTest::statements).forEach(examples::add);
            }
        }
        Matcher snippet = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(page));
        int snippets = 0;
        while (snippet.find()) {
            List<String> wanted =
                    Arrays.asList(normalised(snippet.group(1)).replace("…", "").split(";"));
            assertThat(examples)
                    .as("a running example with the snippet\n%s", snippet.group(1))
                    .anySatisfy(example -> assertThat(example).containsSubsequence(wanted));
            snippets++;
        }
        assertThat(snippets).isPositive();
    }

    private static String statements(Path file) {
        try {
            return normalised(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without comments and white space; examples write into a temporary folder, by folder.resolve or below. */
    private static String normalised(String code) {
        return code.lines()
                .map(line -> line.replaceAll("//.*", "").replaceAll("\\s+", ""))
                .collect(Collectors.joining())
                .replace("folder.resolve(", "Path.of(")
                .replaceAll("\\bbelow\\((\"[^\"]*\")\\)", "$1");
    }
}
