package io.github.gramian.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RecipePageTest {

    private static final Path PAGE = Path.of("..", "docs", "recipes.md");

    @Test
    void the_reference_of_recipes_is_what_the_records_say() throws IOException {
        String text = RecipePage.text();
        if (Boolean.getBoolean("gramian.docs.write")) {
            Files.writeString(PAGE, text);
        }
        assertThat(Files.readString(PAGE))
                .as(
                        "docs/recipes.md; to write it again: JAVA_TOOL_OPTIONS=-Dgramian.docs.write=true mvn test -pl gramian-vision -am"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtest=RecipePageTest")
                .isEqualTo(text);
    }

    @Test
    void every_key_has_a_meaning() throws IOException {
        assertThat(RecipePage.text().lines().filter(line -> line.startsWith("| `") && line.endsWith("|  |")))
                .as("keys without a word in the Javadoc of their record (@param)")
                .isEmpty();
    }
}
