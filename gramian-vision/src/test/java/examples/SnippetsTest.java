package examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every Java snippet of the documentation stands, but for spaces and line breaks, in an example that compiles and runs. */
class SnippetsTest {

    private static final Path EXAMPLES = Path.of("src/test/java/examples");
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"../README.md", "../docs/java.md"})
    void every_snippet_is_part_of_an_example(String page) throws IOException {
        List<String> examples = new ArrayList<>();
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            for (Path file : files.toList()) {
                examples.add(joined(Files.readString(file)));
            }
        }
        Matcher snippets = SNIPPET.matcher(Files.readString(Path.of(page)));
        int found = 0;
        while (snippets.find()) {
            String snippet = joined(snippets.group(1));
            assertThat(examples).as("%s: %s", page, snippets.group(1)).anyMatch(example -> example.contains(snippet));
            found++;
        }
        assertThat(found).as("snippets of %s", page).isPositive();
    }

    /** Examples write into a temporary folder. */
    private static String joined(String code) {
        return code.replaceAll("\\s+", "").replace("folder.resolve(", "Path.of(");
    }
}
